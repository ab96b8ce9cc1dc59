package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.Topology;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.SafeEncoder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Connections introduce themselves by a name that has the server pool and its fingerprint. */
class IntroductionTest {
    @TempDir private Path folder;

    private static String name(OneHopClient redis) {
        Topology topology = redis.topology();
        return "onehop:alpha:" + topology.fingerprint().substring(0, 8);
    }

    /** The ids and names of all connections except the one that asks. */
    private static List<String> named(Jedis plain) {
        return plain.clientList()
                .lines()
                .filter(line -> !line.contains("cmd=client|list"))
                .map(line -> line.replaceFirst("^(id=\\d+).*( name=\\S*).*$", "$1$2"))
                .toList();
    }

    private static List<String> names(Jedis plain) {
        return named(plain).stream().map(each -> each.replaceFirst(".*name=", "")).toList();
    }

    @Test
    void connectionsOfCallsAndSubscriptionsHaveTheName() throws Exception {
        try (RedisServer server = RedisServer.start();
                Jedis plain = server.jedis();
                OneHopClient redis = server.client()) {
            redis.set("key", "value");
            assertEquals(List.of(name(redis)), names(plain));
            JedisPubSub listener = new JedisPubSub() {};
            Thread thread = new Thread(() -> redis.subscribe(listener, "channel"));
            thread.start();
            RedisCluster.await(
                    "the subscription has begun",
                    () -> plain.pubsubNumSub("channel").get("channel") == 1);
            assertEquals(List.of(name(redis), name(redis)), names(plain));
            listener.unsubscribe();
            thread.join(TimeUnit.SECONDS.toMillis(30));
        }
    }

    @Test
    void aConnectionThatIsUsedAgainAfterAChangeHasTheNewName() throws IOException {
        try (RedisServer server = RedisServer.start();
                RedisServer second = RedisServer.start();
                Jedis plain = server.jedis()) {
            String before = Nodes.configOf(Stream.of(server.server() + " one"));
            Path file = Files.writeString(folder.resolve("nutcracker.yml"), before);
            try (OneHopClient redis = Nodes.clientOf(file);
                    AbstractTransaction transaction = redis.transaction(false)) {
                redis.set("key", "value");
                transaction.watch("key");
                List<String> old = named(plain);
                String oldName = name(redis);
                Files.writeString(
                        file,
                        before.replace(
                                server.server() + " one",
                                server.server() + " one\n    - " + second.server() + " two"));
                RedisCluster.await(
                        "the change is adopted", () -> redis.topology().nodes().size() == 2);
                String key = Nodes.keyOn(redis, "one");
                redis.set(key, "value");
                transaction.multi();
                transaction.set("key", "other");
                assertEquals(List.of("OK"), transaction.exec());
                try (AbstractTransaction both = redis.transaction(false)) {
                    both.watch(key);
                    redis.get(key);
                }
                List<String> now = named(plain);
                assertEquals(2, now.size(), now.toString());
                assertTrue(
                        old.stream()
                                .map(each -> each.replace(oldName, name(redis)))
                                .anyMatch(now::contains),
                        old + " became " + now);
            }
        }
    }

    @Test
    void aNameThatTheProgramSetsStaysInItsClient() {
        try (RedisServer server = RedisServer.start();
                Jedis plain = server.jedis();
                OneHopClient redis = server.client();
                OneHopClient other = server.client()) {
            assertNull(client(redis, "GETNAME"));
            assertEquals("OK", text(client(redis, "SETNAME", "mine")));
            assertEquals("mine", text(client(redis, "getname")));
            assertNull(client(other, "GETNAME"));
            assertEquals("OK", text(client(redis, "SETINFO", "lib-name", "spring")));
            for (String[] words :
                    List.of(
                            new String[] {"SETNAME", "not mine"},
                            new String[] {"SETINFO", "lib-ver", "1\n"},
                            new String[] {"SETINFO", "lib", "1"})) {
                assertThrows(JedisDataException.class, () -> client(redis, words));
            }
            assertThrows(Unsupported.class, () -> client(redis, "NO-EVICT", "ON"));
            redis.set("key", "value");
            assertEquals(List.of(name(redis)), names(plain));
            client(redis, "SETNAME", "");
            assertNull(client(redis, "GETNAME"));
        }
    }

    private static Object client(OneHopClient redis, String... words) {
        CommandArguments command = new CommandArguments(Command.CLIENT);
        Stream.of(words).forEach(command::add);
        return redis.executeCommand(command);
    }

    private static String text(Object reply) {
        return SafeEncoder.encode((byte[]) reply);
    }

    /** All commands that a new connection is sent before the first command of the caller. */
    private static List<String> sent(String answer, String... directives) {
        List<String> sent = new ArrayList<>();
        ScriptedNode.Script script =
                talk -> {
                    for (List<String> each = talk.read(); each != null; each = talk.read()) {
                        String name = each.get(0);
                        synchronized (sent) {
                            sent.add(String.join(" ", each));
                        }
                        talk.send(
                                name.equals("GET") || name.equals("VERSION")
                                        ? "$5\r\nvalue\r\n"
                                        : name.equals("CLIENT") ? answer : "+OK\r\n");
                    }
                };
        try (ScriptedNode node = ScriptedNode.start(script);
                OneHopClient redis = node.client(directives)) {
            assertEquals("value", redis.get("key"));
            synchronized (sent) {
                return sent.stream()
                        .map(each -> each.replaceFirst(":[0-9a-f]{8}$", ":FINGERPRINT"))
                        .map(each -> each.replaceFirst("lib-ver .*", "lib-ver VERSION"))
                        .toList();
            }
        }
    }

    @Test
    void aServerThatDoesNotKnowTheIntroductionServesNevertheless() {
        for (String answer :
                List.of(
                        "+OK\r\n",
                        "-ERR unknown command `CLIENT`, with args beginning with: `SETNAME`\r\n",
                        "-NOPERM this user has no permissions to run the 'client' command\r\n")) {
            assertEquals(
                    List.of(
                            "AUTH secret",
                            "CLIENT SETNAME shop:alpha:FINGERPRINT",
                            "CLIENT SETINFO lib-name onehop-java",
                            "CLIENT SETINFO lib-ver VERSION",
                            "PING",
                            "GET key"),
                    sent(answer, "redis_auth: secret", "client_name: shop"));
        }
        assertEquals(List.of("VERSION", "GET key"), sent("", "engine: ssdb"));
    }
}
