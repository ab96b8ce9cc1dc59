package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.onehop.core.health.Health;
import io.onehop.jedis.lab.Jvm;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.SilentAddress;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Response;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/**
 * Host names that the resolver answers slowly, does not answer, or does not know. The tests run in
 * a namespace with a resolver of its own.
 */
class NamesTest {
    private static final Path DNS = Path.of("..", "..", "conformance", "lab", "dns.py");

    /**
     * A client waits one step for each silent address. Afterwards it tries the address that has
     * answered first. If an address refuses, the client goes on with the next one.
     */
    @Test
    void eachSilentAddressOfANameCostsAStepOfTheTimeout(@TempDir Path folder) {
        String hosts = folder.resolve("hosts").toString();
        assertEquals(
                """
                one.test: value, then quick
                two.test: value, then quick
                four.test: value, then quick
                refused.test: value, value
                """,
                Jvm.outputOf(
                        AddressesProgram.class, List.of("-Djdk.net.hosts.file=" + hosts), hosts));
    }

    @Test
    void anUnresolvedNameFailsOnlyKeysOfItsNodeAndTheNodeRests(@TempDir Path folder)
            throws IOException {
        Path zone = folder.resolve("zone.json");
        Files.writeString(
                zone,
                """
                {"good.test": {"a": ["127.0.0.1"]}, "slow.test": {"a": ["127.0.0.1"], "delay": 30},
                 "silent.test": {"drop": true}, "failing.test": {"code": 2}}
                """);
        List<String> outer =
                Stream.of("unshare -m -n -- python3", DNS.toString(), zone.toString(), "--")
                        .flatMap(words -> Stream.of(words.split(" ")))
                        .toList();
        assertEquals(
                """
                good.test: of named, of node-0, of node-1
                slow.test: Host name not resolved within 1000 ms, of node-0, of node-1; \
                in time; rests; nothing was sent
                silent.test: Host name not resolved within 1000 ms, of node-0, of node-1; \
                in time; rests; nothing was sent
                failing.test: Host name not resolved, of node-0, of node-1; \
                in time; rests; nothing was sent
                unknown.test: Host name not resolved, of node-0, of node-1; \
                in time; rests; nothing was sent
                """,
                Jvm.outputBeneath(outer, NamesProgram.class, List.of()));
    }

    @Test
    void aLookUpThatFailsForLackOfDescriptorsIsNoFailureOfTheNode() {
        assertEquals(
                "true, state 0\nvalue\n",
                Jvm.outputBeneath(
                        List.of("prlimit", "--nofile=200", "--"),
                        FewDescriptorsProgram.class,
                        List.of("-Dsun.net.inetaddr.ttl=0", "-Dsun.net.inetaddr.negative.ttl=0")));
    }

    /**
     * Calls nodes whose names have other addresses before the one that answers: silent addresses,
     * or an address that refuses. The argument is the hosts file of the JVM.
     */
    static final class AddressesProgram {

        private AddressesProgram() {}

        public static void main(String[] arguments) throws Exception {
            Logger.getLogger("io.onehop").setLevel(Level.OFF);
            try (RedisServer server = RedisServer.start()) {
                List<SilentAddress> silent = new ArrayList<>();
                for (int i = 2; i <= 4; i++) {
                    silent.add(SilentAddress.at("127.0.0." + i, server.port()));
                }
                Files.writeString(
                        Path.of(arguments[0]),
                        """
                        127.0.0.1 one.test
                        127.0.0.2 two.test
                        127.0.0.1 two.test
                        127.0.0.2 four.test
                        127.0.0.3 four.test
                        127.0.0.4 four.test
                        127.0.0.1 four.test
                        127.0.0.5 refused.test
                        127.0.0.1 refused.test
                        """);
                server.ask(plain -> plain.set("k", "value"));
                for (String name : List.of("one", "two", "four")) {
                    System.out.println(name + ".test: " + calls(name, server));
                }
                System.out.println("refused.test: " + callsOfRefused(server));
                for (SilentAddress address : silent) {
                    address.close();
                }
            }
        }

        /** The value of the first call, and whether a call over another new connection is quick. */
        private static String calls(String name, RedisServer server) {
            try (OneHopClient client = client(name, server)) {
                String first = value(client);
                long bestNs = Long.MAX_VALUE;
                for (int i = 0; i < 10; i++) {
                    server.killClients();
                    long beginNs = System.nanoTime();
                    client.get("k");
                    bestNs = Math.min(bestNs, System.nanoTime() - beginNs);
                }
                return first + (bestNs < 100_000_000 ? ", then quick" : ", then slow");
            }
        }

        /** The value of a client's first call, and the value of another client's first batch. */
        private static String callsOfRefused(RedisServer server) {
            try (OneHopClient ofCalls = client("refused", server);
                    OneHopClient ofBatches = client("refused", server)) {
                return value(ofCalls) + ", " + batched(ofBatches);
            }
        }

        private static String batched(OneHopClient client) {
            try (AbstractPipeline batch = client.pipelined()) {
                Response<String> reply = batch.get("k");
                batch.sync();
                return reply.get();
            } catch (RuntimeException failure) {
                return failure.toString();
            }
        }

        private static OneHopClient client(String name, RedisServer server) {
            return Nodes.clientOf(Stream.of(name + ".test:" + server.port() + ":1"));
        }

        private static String value(OneHopClient client) {
            try {
                return client.get("k");
            } catch (OneHopException failure) {
                return failure.getMessage();
            }
        }
    }

    /**
     * Sends MGET to three nodes, one of which is configured by host name. Prints a line for each
     * name.
     */
    static final class NamesProgram {
        // The C library would ask the resolver for longer than this.
        private static final long LATE_MS = 4000;

        private NamesProgram() {}

        public static void main(String[] arguments) {
            Logger.getLogger("io.onehop").setLevel(Level.OFF);
            try (RedisServer named = RedisServer.start();
                    RedisServer first = RedisServer.start();
                    RedisServer second = RedisServer.start()) {
                for (String name : List.of("good", "slow", "silent", "failing", "unknown")) {
                    System.out.println(
                            name + ".test: " + line(name + ".test", named, first, second));
                }
            }
        }

        private static String line(
                String name, RedisServer named, RedisServer first, RedisServer second) {
            String config =
                    Nodes.configOf(
                            Stream.of(
                                    name + ":" + named.port() + ":1 named",
                                    first.server() + " node-0",
                                    second.server() + " node-1"),
                            "timeout: 1000");
            Map<String, RedisServer> servers =
                    Map.of("named", named, "node-0", first, "node-1", second);
            try (OneHopClient client = Nodes.clientOf(config)) {
                Map<String, String> keys = new LinkedHashMap<>();
                for (String node : List.of("named", "node-0", "node-1")) {
                    keys.put(node, Nodes.keyOn(client, node));
                    servers.get(node).ask(plain -> plain.set(keys.get(node), "of " + node));
                    servers.get(node).ask(Jedis::configResetStat);
                }
                for (String node : List.of("node-0", "node-1")) {
                    Callers.answered(() -> client.get(keys.get(node))); // A cold JVM is slow.
                }
                return asked(client, keys.values().toArray(String[]::new), named);
            }
        }

        private static String asked(OneHopClient client, String[] keys, RedisServer named) {
            long begin = System.nanoTime();
            try {
                return String.join(", ", client.mget(keys));
            } catch (PartialBatch failed) {
                long ms = (System.nanoTime() - begin) / 1_000_000;
                List<String> replies = new ArrayList<>();
                failed.getReplies()
                        .forEach(
                                reply ->
                                        replies.add(
                                                reply instanceof OneHopException failure
                                                        ? failure.getMessage()
                                                                .replaceAll("( \\(|, ).*", "")
                                                        : String.valueOf(reply)));
                return String.join(", ", replies)
                        + (ms < LATE_MS ? "; in time" : "; after " + ms + " ms")
                        + (rests(client, keys[0]) ? "; rests" : "")
                        + (named.calls("get") + named.calls("mget") > 0
                                ? ""
                                : "; nothing was sent");
            }
        }

        /** Repeats the call, because on a busy machine a rest may end before the call is made. */
        private static boolean rests(OneHopClient client, String key) {
            for (int i = 0; i < 20; i++) {
                try {
                    client.get(key);
                    return false;
                } catch (OneHopException failure) {
                    if (failure.getMessage()
                            .startsWith("The node is resting after a failure: Host name ")) {
                        return !failure.mayHaveExecuted();
                    }
                }
            }
            return false;
        }
    }

    /**
     * Looks up the name of a node while this process has no descriptor left, and afterwards. Prints
     * whether the node was blamed, and whether it serves.
     */
    static final class FewDescriptorsProgram {
        private FewDescriptorsProgram() {}

        public static void main(String[] arguments) throws IOException {
            Logger.getLogger("io.onehop").setLevel(Level.OFF);
            try (RedisServer server = RedisServer.start()) {
                String named = "localhost:" + server.port() + ":1 named";
                try (OneHopClient client = client(named, "server_failure_limit: 1")) {
                    Callers.answered(() -> client.set("key", "value"));
                    try (OneHopClient other = client("no-such-host.invalid:1:1")) {
                        failure(other); // Loads the classes that a failure needs.
                    }
                    Inspected.pools(client)[0].clear();
                    List<FileInputStream> taken = takeAll();
                    OneHopException failure = failure(client);
                    for (FileInputStream each : taken) {
                        each.close();
                    }
                    System.out.println(
                            (failure instanceof NodeDown)
                                    + ", state "
                                    + Health.failures(Inspected.pools(client)[0].health().state()));
                    System.out.println(Callers.answered(() -> client.get("key")));
                }
            }
        }

        private static OneHopClient client(String server, String... directives) {
            return Nodes.clientOf(
                    Nodes.configOf(Stream.of(server), directives)
                            .replace("timeout: 30000", "timeout: 2000"));
        }

        private static OneHopException failure(OneHopClient client) {
            try {
                client.get("key");
                return null;
            } catch (OneHopException failure) {
                return failure;
            }
        }

        private static List<FileInputStream> takeAll() {
            List<FileInputStream> taken = new ArrayList<>();
            try {
                while (true) {
                    taken.add(new FileInputStream("/dev/null"));
                }
            } catch (IOException none) {
                return taken;
            }
        }
    }
}
