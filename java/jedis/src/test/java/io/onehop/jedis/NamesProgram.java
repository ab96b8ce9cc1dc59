package io.onehop.jedis;

import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;

import redis.clients.jedis.Jedis;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Sends MGET to three nodes, one of which is configured by host name. Prints a line for each name.
 */
final class NamesProgram {
    // The C library would keep asking for longer than this.
    private static final long LATE_MS = 4000;

    private NamesProgram() {}

    public static void main(String[] arguments) {
        Logger.getLogger("io.onehop").setLevel(Level.OFF);
        try (RedisServer named = RedisServer.start();
                RedisServer first = RedisServer.start();
                RedisServer second = RedisServer.start()) {
            for (String name : List.of("good", "slow", "silent", "failing", "unknown")) {
                System.out.println(name + ".test: " + line(name + ".test", named, first, second));
            }
        }
    }

    private static String line(
            String name, RedisServer named, RedisServer first, RedisServer second) {
        String config =
                "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  timeout: 1000\n  servers:\n"
                        + "   - "
                        + name
                        + ":"
                        + named.port()
                        + ":1 named\n"
                        + "   - "
                        + first.server()
                        + " node-0\n   - "
                        + second.server()
                        + " node-1\n";
        Map<String, RedisServer> servers =
                Map.of("named", named, "node-0", first, "node-1", second);
        try (OneHopClient client = Nodes.clientOf(config)) {
            Map<String, String> keys = new LinkedHashMap<>();
            for (String node : List.of("named", "node-0", "node-1")) {
                keys.put(node, keyOf(client, node));
                try (Jedis plain = new Jedis("127.0.0.1", servers.get(node).port())) {
                    plain.set(keys.get(node), "of " + node);
                    plain.configResetStat();
                }
            }
            for (String node : List.of("node-0", "node-1")) {
                Callers.answered(() -> client.get(keys.get(node))); // A cold JVM is slow.
            }
            return asked(client, keys.values().toArray(String[]::new), named);
        }
    }

    private static String keyOf(OneHopClient client, String node) {
        int number = 0;
        while (!client.topology().locate("key:" + number).name().equals(node)) {
            number++;
        }
        return "key:" + number;
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
                    + (hasCommand(named) ? "" : "; nothing was sent");
        }
    }

    /** Asks more than once, because on a busy machine a rest may end in between. */
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

    private static boolean hasCommand(RedisServer server) {
        try (Jedis plain = new Jedis("127.0.0.1", server.port())) {
            return plain.info("commandstats").contains("get:");
        }
    }
}
