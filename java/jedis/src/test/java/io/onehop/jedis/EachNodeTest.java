package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertBegins;
import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.Node;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObjects;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * onEachNode and onNode send commands that the fleet refuses, except commands that would change a
 * connection which is shared.
 */
class EachNodeTest {
    @RegisterExtension static final SharedNodes SHARED = SharedNodes.start(3);
    private static final Nodes nodes = SHARED.nodes();
    private static final OneHopClient redis = SHARED.client();

    private static List<String> names() {
        return redis.topology().nodes().stream().map(Node::name).toList();
    }

    @Test
    void eachReplyIsUnderTheNameOfItsNode() {
        redis.set(Nodes.keyOn(redis, names().get(1)), "value");
        Map<String, Long> sizes = redis.onEachNode(CommandObjects::dbSize);
        assertEquals(names(), List.copyOf(sizes.keySet()));
        assertEquals(List.of(0L, 1L, 0L), List.copyOf(sizes.values()));
        Map<String, Map<String, String>> ports =
                redis.onEachNode(commands -> commands.configGet("port"));
        nodes.servers()
                .forEach(
                        server ->
                                assertEquals(
                                        Map.of("port", String.valueOf(server.port())),
                                        ports.get(server.node())));
        assertEquals(1L, (long) redis.onNode(names().get(1), CommandObjects::dbSize));
        redis.onEachNode(CommandObjects::flushAll);
        assertEquals(0, redis.dbSize());
        Inspected.assertNothingLeased(redis);
    }

    @Test
    void commandsThatTheFleetRefusesOrDoesNotKnowMayBeSent() {
        Map<String, Object> ids = redis.onEachNode(new CommandArguments(Command.CLIENT).add("ID"));
        ids.values().forEach(id -> assertInstanceOf(Long.class, id));
        assertInstanceOf(
                byte[].class,
                redis.onNode(names().get(0), new CommandArguments(Command.MEMORY).add("DOCTOR")));
        CommandArguments invented =
                new CommandArguments(() -> "INVENTED".getBytes(StandardCharsets.UTF_8)).add("word");
        JedisDataException unknown =
                assertThrows(
                        JedisDataException.class, () -> redis.onNode(names().get(0), invented));
        assertSays("unknown command", unknown);
        assertEquals(
                -2L,
                (long)
                        redis.onNode(
                                names().get(0), commands -> commands.ttl("no key of this node")));
        Inspected.assertNothingLeased(redis);
    }

    @Test
    void severalCommandsGoToOneNode() {
        String node = names().get(0);
        List<Object> replies =
                redis.onNode(
                        node,
                        List.of(
                                new CommandArguments(Command.LPUSH).add("several").add("a"),
                                new CommandArguments(Command.GET).add("several"),
                                new CommandArguments(Command.DEL).add("several"),
                                new CommandArguments(Command.GET).add("several")));
        assertEquals(1L, replies.get(0));
        assertBegins("WRONGTYPE", assertInstanceOf(JedisDataException.class, replies.get(1)));
        assertEquals(1L, replies.get(2));
        assertNull(replies.get(3));
        assertEquals(List.of(), redis.onNode(node, List.of()));
        assertThrows(
                Unsupported.class,
                () -> redis.onNode(node, List.of(new CommandArguments(Command.MULTI))));
        Inspected.assertNothingLeased(redis);
    }

    @Test
    void anErrorOfOneNodeIsAnElementOfTheReply() {
        try (Jedis jedis = nodes.jedis(names().get(1))) {
            jedis.set("odd", "value");
        }
        Map<String, Object> lengths =
                redis.onEachNode(new CommandArguments(Command.LLEN).add("odd"));
        assertEquals(names(), List.copyOf(lengths.keySet()));
        assertEquals(0L, lengths.get(names().get(0)));
        assertBegins(
                "WRONGTYPE",
                assertInstanceOf(JedisDataException.class, lengths.get(names().get(1))));
        assertEquals(0L, lengths.get(names().get(2)));
        assertThrows(
                JedisDataException.class, () -> redis.onEachNode(commands -> commands.llen("odd")));
        redis.flushAll();
    }

    @Test
    void commandsThatChangeAConnectionAreRefused() {
        for (CommandArguments arguments :
                List.of(
                        new CommandArguments(Command.SELECT).add(1),
                        new CommandArguments(Command.MULTI),
                        new CommandArguments(Command.WATCH).add("key"),
                        new CommandArguments(Command.SUBSCRIBE).add("channel"),
                        new CommandArguments(() -> "quit".getBytes(StandardCharsets.UTF_8)),
                        new CommandArguments(Command.AUTH).add("x"),
                        new CommandArguments(Command.MONITOR),
                        new CommandArguments(Command.CLIENT).add("REPLY").add("OFF"),
                        new CommandArguments(Command.SCRIPT).add("DEBUG").add("YES"))) {
            assertThrows(Unsupported.class, () -> redis.onEachNode(arguments));
            assertThrows(Unsupported.class, () -> redis.onNode(names().get(0), arguments));
        }
    }

    @Test
    void aConnectionThatCarriedAnUnknownCommandIsClosed() {
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        try (ScriptedNode node =
                        ScriptedNode.start(
                                talk -> {
                                    for (List<String> command : talk.commands()) {
                                        seen.add(talk.number() + " " + command.get(0));
                                        talk.send("+OK\r\n");
                                    }
                                });
                OneHopClient client = node.client()) {
            client.set("key", "value");
            client.onEachNode(
                    new CommandArguments(() -> "INVENTED".getBytes(StandardCharsets.UTF_8)));
            client.set("key", "value");
            assertEquals(List.of("1 PING", "1 SET", "1 INVENTED", "2 PING", "2 SET"), seen);
        }
    }

    @Test
    void aDeadNodeMakesAPartialBatchAndAnUnknownNameIsRefused() {
        try (Nodes few = Nodes.start(2);
                OneHopClient client = few.client()) {
            few.servers().get(1).close();
            PartialBatch partial =
                    assertThrows(
                            PartialBatch.class, () -> client.onEachNode(CommandObjects::dbSize));
            assertEquals(
                    List.of(few.servers().get(1).node()),
                    List.copyOf(partial.getFailures().keySet()));
            assertTrue(partial.getReplies().contains(0L));
            assertThrows(
                    NodeDown.class,
                    () -> client.onNode(few.servers().get(1).node(), CommandObjects::dbSize));
            assertEquals(
                    0L, (long) client.onNode(few.servers().get(0).node(), CommandObjects::dbSize));
            IllegalArgumentException unknown =
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> client.onNode("nobody", CommandObjects::dbSize));
            assertBegins("there is no node nobody, server pool alpha: ", unknown);
            Inspected.assertNothingLeased(client);
        }
    }

    @Test
    void aBlockingCommandMayTakeLongerThanTheTimeout() {
        try (OneHopClient hasty = nodes.client("timeout: 3000")) {
            redis.del("list");
            Map<String, List<String>> popped =
                    hasty.onEachNode(commands -> commands.blpop(4, "list"));
            assertEquals(Collections.nCopies(3, null), new ArrayList<>(popped.values()));
        }
    }
}
