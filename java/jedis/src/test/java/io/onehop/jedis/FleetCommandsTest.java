package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertEnds;
import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.ErrorKind;
import io.onehop.core.Node;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.Response;
import redis.clients.jedis.StreamEntryID;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.params.SortingParams;
import redis.clients.jedis.params.XReadGroupParams;
import redis.clients.jedis.params.XReadParams;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Commands without a key, and commands with keys of several nodes, are answered as one server with
 * all keys would answer.
 */
class FleetCommandsTest {
    @RegisterExtension static final SharedNodes SHARED = SharedNodes.start(4);
    private static final Nodes nodes = SHARED.nodes();
    private static final OneHopClient redis = SHARED.client();

    private static void fill(int keys) {
        IntStream.range(0, keys).forEach(i -> redis.set("key:" + i, "value"));
    }

    private static Object sent(Command command, String... words) {
        CommandArguments arguments = new CommandArguments(command);
        List.of(words).forEach(arguments::add);
        return redis.executeCommand(arguments);
    }

    private static String text(Object reply) {
        return new String((byte[]) reply, StandardCharsets.UTF_8);
    }

    private static String keyOn(int node) {
        return Nodes.keyOn(redis, nodes.servers().get(node).node());
    }

    /* ---- All nodes ---- */

    @Test
    void allNodesTogetherHaveAllKeys() {
        fill(200);
        assertEquals(200, redis.dbSize());
        assertEquals(
                IntStream.range(0, 200).mapToObj(i -> "key:" + i).collect(Collectors.toSet()),
                redis.keys("*"));
        assertEquals(Set.of("key:7"), redis.keys("key:7"));
        assertEquals("OK", redis.flushDB());
        assertEquals(0, redis.dbSize());
        fill(10);
        assertEquals("OK", redis.flushAll());
        assertEquals(Set.of(), redis.keys("*"));
        assertEquals("PONG", redis.ping());
    }

    @Test
    void infoHasTheFieldsThatProgramsRead() {
        fill(100);
        Map<String, String> fields =
                redis.info()
                        .lines()
                        .filter(line -> line.contains(":"))
                        .collect(
                                Collectors.toMap(
                                        line -> line.split(":", 2)[0],
                                        line -> line.split(":", 2)[1]));
        assertEquals("keys=100", fields.get("db0"));
        assertTrue(
                nodes.servers()
                        .get(0)
                        .ask(one -> one.info())
                        .contains("redis_version:" + fields.get("redis_version")));
        assertFalse(fields.containsKey("tcp_port"), "every node has its own");
        assertEquals("# Keyspace", redis.info("keyspace").lines().findFirst().orElseThrow());
    }

    @Test
    void settingsAreSetOnEveryNodeAndReturnedIfTheNodesAgree() {
        assertEquals("OK", redis.configSet("maxmemory-policy", "allkeys-lru"));
        assertEquals(
                Map.of("maxmemory-policy", "allkeys-lru"), redis.configGet("maxmemory-policy"));
        nodes.servers()
                .forEach(
                        server -> {
                            assertEquals(
                                    "allkeys-lru",
                                    server.ask(one -> one.configGet("maxmemory-policy"))
                                            .get("maxmemory-policy"));
                        });
        assertEquals("OK", redis.configSet("maxmemory-policy", "noeviction"));
        assertEquals(
                redis.configGet("*max*list*"),
                redis.onNode(
                        nodes.servers().get(0).node(),
                        commands -> commands.configGet("*max*list*")),
                "the settings of a pattern, in any order");
        Unsupported differ = assertThrows(Unsupported.class, () -> redis.configGet("port"));
        assertEquals(ErrorKind.UNSUPPORTED, differ.getKind());
        assertTrue(differ.mayHaveExecuted(), "the nodes were asked");
        assertEquals(
                "The nodes gave different answers, which no single reply can express, server pool"
                        + " alpha: the command was answered; ask each node with onEachNode()",
                differ.getMessage());
    }

    @Test
    void numbersAreMergedAsTheTableSays() {
        assertTrue((Long) sent(Command.LASTSAVE) > 1_700_000_000L);
        assertEquals(0L, sent(Command.PUBSUB, "NUMPAT"));
        sent(Command.ACL, "SETUSER", "nobody", "off");
        assertEquals(1L, sent(Command.ACL, "DELUSER", "nobody", "unknown"));
        assertEquals(List.of(), sent(Command.PUBSUB, "CHANNELS"));
        sent(Command.SLOWLOG, "RESET"); // On a busy machine FLUSHALL may be in SLOWLOG.
        assertEquals(0L, sent(Command.SLOWLOG, "LEN"));
        assertEquals(List.of(), sent(Command.SLOWLOG, "GET"));
        Object counts = sent(Command.PUBSUB, "NUMSUB", keyOn(2), keyOn(0), keyOn(1));
        assertEquals(
                List.of(keyOn(2), 0L, keyOn(0), 0L, keyOn(1), 0L),
                ((List<?>) counts)
                        .stream()
                                .map(element -> element instanceof byte[] ? text(element) : element)
                                .toList());
        assertEquals(List.of(), sent(Command.PUBSUB, "NUMSUB"), "no channel: any node");
    }

    @Test
    void commandsAboutOneServerReturnAMapOfNodesOrAreRefused() {
        Map<?, ?> roles = assertInstanceOf(Map.class, sent(Command.ROLE));
        assertEquals(
                redis.topology().nodes().stream().map(Node::name).toList(),
                List.copyOf(roles.keySet()));
        roles.values().forEach(role -> assertEquals("master", text(((List<?>) role).get(0))));
        Unsupported refused = assertThrows(Unsupported.class, redis::functionStats);
        assertEnds("use onEachNode()", refused);
    }

    @Test
    void commandsAboutOneServerReturnTheAnswerOfTheNodeIfThereIsOnlyOne() {
        String only = nodes.servers().get(0).server();
        try (OneHopClient one = Nodes.clientOf(Stream.of(only));
                Jedis plain = nodes.servers().get(0).jedis()) {
            assertEquals(plain.functionStats().getEngines(), one.functionStats().getEngines());
        }
    }

    @Test
    void anErrorReplyOfOneNodeIsTheErrorOfTheCall() {
        try (Jedis one = nodes.servers().get(1).jedis()) {
            one.sendCommand(() -> Command.CONFIG.getRaw(), "SET", "replica-serve-stale-data", "no");
            one.replicaof("127.0.0.1", 1);
            assertThrows(JedisDataException.class, redis::flushAll);
            one.replicaofNoOne();
        }
        assertEquals("OK", redis.flushAll());
    }

    @Test
    void aNodeThatIsDownMakesAPartialBatch() {
        try (Nodes few = Nodes.start(3);
                OneHopClient client = few.client()) {
            IntStream.range(0, 60).forEach(i -> client.set("key:" + i, "value"));
            few.servers().get(1).close();
            PartialBatch partial = assertThrows(PartialBatch.class, client::dbSize);
            assertEquals(Set.of(few.servers().get(1).node()), partial.getFailures().keySet());
            assertInstanceOf(NodeDown.class, partial.getFailures().values().iterator().next());
            assertEquals(1, partial.getReplies().size());
            PartialBatch listed = assertThrows(PartialBatch.class, () -> client.keys("*"));
            assertEquals(3, listed.getReplies().size(), "one for each node");
            assertEquals(2, listed.getReplies().stream().filter(Set.class::isInstance).count());
            assertEquals(
                    1, listed.getReplies().stream().filter(NodeDown.class::isInstance).count());
            few.servers().get(0).close();
            few.servers().get(2).close();
            assertThrows(NodeDown.class, client::dbSize, "nothing arrived");
            Inspected.assertNothingLeased(client);
        }
    }

    @Test
    void functionsAreLoadedOnEveryNode() {
        String library =
                "#!lua name=lib\n"
                        + "redis.register_function('hello', function(keys) return keys[1] end)";
        assertEquals("lib", redis.functionLoad(library));
        assertEquals(1, redis.functionList().size());
        for (int node = 0; node < 4; node++) {
            String key = keyOn(node);
            assertEquals(key, redis.fcall("hello", List.of(key), List.of()));
        }
        assertThrows(
                CrossNode.class,
                () -> redis.fcall("hello", List.of(keyOn(0), keyOn(1)), List.of()));
        assertThrows(Unsupported.class, () -> redis.fcall("hello", List.of(), List.of()));
        assertEquals("OK", redis.functionDelete("lib"));
        assertEquals(List.of(), redis.functionList());
    }

    @Test
    void aBusyScriptIsKilledWhereItRuns() throws InterruptedException {
        assertThrows(JedisDataException.class, redis::scriptKill, "NOTBUSY everywhere");
        redis.configSet("busy-reply-threshold", "1");
        RedisServer busy = nodes.servers().get(2);
        Thread looping =
                new Thread(
                        () -> {
                            assertThrows(
                                    JedisDataException.class,
                                    () -> busy.ask(one -> one.eval("while true do end")));
                        });
        looping.start();
        String killed = null;
        while (killed == null) {
            try {
                killed = redis.scriptKill();
            } catch (JedisDataException notYet) {
                Thread.onSpinWait();
            }
        }
        assertEquals("OK", killed);
        looping.join();
        redis.configSet("busy-reply-threshold", "5000");
    }

    /* ---- Any node ---- */

    @Test
    void aRandomKeyIsFoundOnWhateverNodeItIs() {
        assertNull(redis.randomKey());
        for (int node = 0; node < 4; node++) {
            redis.flushAll();
            redis.set(keyOn(node), "value");
            assertEquals(keyOn(node), redis.randomKey());
            try (AbstractPipeline pipeline = redis.pipelined()) {
                Response<String> key = pipeline.randomKey();
                pipeline.sync();
                assertEquals(keyOn(node), key.get());
            }
        }
    }

    @Test
    void anyNodeAnswersAsLongAsOneIsUp() {
        try (Nodes few = Nodes.start(3);
                OneHopClient client = few.client()) {
            assertEquals("text", client.echo("text"));
            few.servers().get(0).close();
            assertEquals("text", client.echo("text"));
            few.servers().get(1).close();
            for (int i = 0; i < 10; i++) {
                assertEquals("text", client.echo("text"));
            }
            try (AbstractPipeline pipeline = client.pipelined()) {
                Response<Object> time = pipeline.sendCommand(new CommandArguments(Command.TIME));
                pipeline.sync();
                assertEquals(2, ((List<?>) time.get()).size());
            }
            few.servers().get(2).close();
            assertThrows(NodeDown.class, () -> client.echo("text"));
            Inspected.assertNothingLeased(client);
        }
    }

    /* ---- Streams ---- */

    @Test
    void streamsOfSeveralNodesAreReadInParallelInTheCallersOrder() {
        List<Map.Entry<String, StreamEntryID>> streams = new ArrayList<>();
        for (int node : new int[] {3, 1, 0, 2}) {
            redis.xadd(keyOn(node), new StreamEntryID(1, node), Map.of("field", "value " + node));
            streams.add(Map.entry(keyOn(node), new StreamEntryID(0, 0)));
        }
        streams.add(1, Map.entry("empty", new StreamEntryID(0, 0)));
        Map<String, StreamEntryID> wanted = new LinkedHashMap<>();
        streams.forEach(stream -> wanted.put(stream.getKey(), stream.getValue()));
        var read = redis.xread(XReadParams.xReadParams().count(1), wanted);
        assertEquals(
                List.of(keyOn(3), keyOn(1), keyOn(0), keyOn(2)),
                read.stream().map(Map.Entry::getKey).toList());
        assertEquals("value 0", read.get(2).getValue().get(0).getFields().get("field"));
        assertNull(
                redis.xread(
                        XReadParams.xReadParams(),
                        Map.of(
                                keyOn(0),
                                new StreamEntryID(9, 0),
                                keyOn(1),
                                new StreamEntryID(9, 0))),
                "nothing new");
        for (int node = 0; node < 4; node++) {
            redis.xgroupCreate(keyOn(node), "group", new StreamEntryID(0, 0), false);
        }
        wanted.remove("empty");
        wanted.replaceAll((key, id) -> StreamEntryID.XREADGROUP_UNDELIVERED_ENTRY);
        assertEquals(
                4,
                redis.xreadGroup("group", "me", XReadGroupParams.xReadGroupParams(), wanted)
                        .size());
        assertNull(redis.xreadGroup("group", "me", XReadGroupParams.xReadGroupParams(), wanted));
        try (AbstractPipeline pipeline = redis.pipelined()) {
            wanted.replaceAll((key, id) -> new StreamEntryID(0, 0));
            var queued = pipeline.xread(XReadParams.xReadParams(), wanted);
            pipeline.sync();
            assertEquals(4, queued.get().size());
        }
        wanted.put("other", new StreamEntryID(0, 0));
        assertThrows(
                JedisDataException.class,
                () -> redis.xreadGroup("group", "me", XReadGroupParams.xReadGroupParams(), wanted),
                "NOGROUP of one");
    }

    /* ---- In a pipeline ---- */

    @Test
    void commandsOfAllNodesKeepTheirOrderInThePipeline() {
        try (AbstractPipeline pipeline = redis.pipelined()) {
            IntStream.range(0, 100).forEach(i -> pipeline.set("key:" + i, "value"));
            Response<Object> before = pipeline.sendCommand(new CommandArguments(Command.DBSIZE));
            Response<Set<String>> keys = pipeline.keys("*");
            Response<Object> flushed = pipeline.sendCommand(new CommandArguments(Command.FLUSHALL));
            Response<Object> after = pipeline.sendCommand(new CommandArguments(Command.DBSIZE));
            assertThrows(Unsupported.class, () -> pipeline.scan("0"));
            assertThrows(
                    Unsupported.class,
                    () -> pipeline.sendCommand(new CommandArguments(Command.SELECT).add(1)));
            pipeline.sync();
            assertEquals(100L, before.get());
            assertEquals(100, keys.get().size());
            assertEquals("OK", text(flushed.get()));
            assertEquals(0L, after.get());
        }
    }

    /* ---- Refusals ---- */

    @Test
    void refusalsSayWhyAndWhatToDo() {
        Map<CommandArguments, String> calls =
                Map.of(
                        new CommandArguments(Command.SELECT).add(1),
                        "SELECT is not supported, server pool alpha: ",
                        new CommandArguments(Command.AUTH).add("x"),
                        "set `redis_auth` (and `username`) in the server pool's " + "configuration",
                        new CommandArguments(Command.CLIENT).add("KILL").add("ID").add(1),
                        "CLIENT KILL is not supported, ",
                        new CommandArguments(Command.CLIENT).add("INVENTED"),
                        "Neither OneHop nor the node knows the command \"CLIENT INVENTED\", ",
                        new CommandArguments(() -> "INVENTED".getBytes(StandardCharsets.UTF_8))
                                .add("x"),
                        "Neither OneHop nor the node knows the command \"INVENTED\", ",
                        new CommandArguments(Command.MSET).add("a").add("1").add("b"),
                        "MSET is not supported, server pool alpha: the command was not sent; it is"
                                + " malformed: each key needs its value (or id); one is missing",
                        new CommandArguments(Command.DEL),
                        "DEL is not supported, server pool alpha: the command was not sent; it is"
                                + " malformed: it contains no key",
                        new CommandArguments(Command.EVAL).add("return 1").add("x"),
                        "its key count is not a number");
        calls.forEach(
                (arguments, expected) -> {
                    Unsupported refused =
                            assertThrows(
                                    Unsupported.class,
                                    () -> redis.executeCommand(arguments),
                                    expected);
                    assertSays(expected, refused);
                    assertFalse(refused.mayHaveExecuted());
                });
    }

    @Test
    void aCommandGivenInWordsIsSentToTheNodeOfItsKey() {
        assertEquals("OK", text(sent(Command.MSET, keyOn(0), "1", keyOn(1), "2")));
        assertEquals("1", text(sent(Command.GET, keyOn(0))));
        assertEquals(2L, sent(Command.DEL, keyOn(0), keyOn(1)));
        assertThrows(CrossNode.class, () -> sent(Command.RENAME, keyOn(0), keyOn(1)));
        assertThrows(
                CrossNode.class,
                () -> sent(Command.GEORADIUS, keyOn(0), "0", "0", "1", "km", "STORE", keyOn(1)));
        assertEquals(0L, sent(Command.PUBLISH, "channel", "message"));
    }

    @Test
    void keyPatternsOfSortMustHaveTheTagOfTheSortedKey() {
        redis.rpush("list", "2", "1");
        assertEquals(List.of("1", "2"), redis.sort("list"));
        assertEquals(
                List.of("2", "1"), redis.sort("list", new SortingParams().by("nosort").get("#")));
        CrossNode refused =
                assertThrows(
                        CrossNode.class,
                        () -> redis.sort("list", new SortingParams().by("weight_*")));
        assertSays("hash_tag: ", refused);
        try (OneHopClient tagged = nodes.client("hash_tag: \"{}\"")) {
            tagged.rpush("{t}list", "2", "1");
            tagged.mset("{t}weight_1", "5", "{t}weight_2", "3");
            assertEquals(
                    List.of("2", "1"),
                    tagged.sort("{t}list", new SortingParams().by("{t}weight_*")));
            assertThrows(
                    CrossNode.class,
                    () -> tagged.sort("{t}list", new SortingParams().by("weight_*_{t}")));
            assertThrows(
                    CrossNode.class, () -> tagged.sort("{t}list", new SortingParams().by("{*}")));
        }
        try (Nodes one = Nodes.start(1);
                OneHopClient alone = one.client()) {
            alone.rpush("list", "2", "1");
            assertEquals(List.of("1", "2"), alone.sort("list", new SortingParams().by("weight_*")));
        }
    }

    @Test
    void waitMayTakeAsLongAsItsOwnTimeoutAndWritesNoKey() {
        try (OneHopClient hasty = nodes.client("timeout: 4000")) {
            assertEquals(0, hasty.waitReplicas("key", 0, 100));
            assertEquals(
                    0, hasty.waitReplicas("key", 1, 5000), "longer than the timeout of the pool");
            assertEquals(
                    0L, hasty.executeCommand(new CommandArguments(Command.WAIT).add(1).add(10)));
            assertNotNull(
                    hasty.onNode(
                            nodes.servers().get(0).node(),
                            commands -> commands.waitReplicas("x", 0, 10)));
        }
        assertEquals(new TreeSet<>(), redis.keys("*"));
    }
}
