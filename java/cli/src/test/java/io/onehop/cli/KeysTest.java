package io.onehop.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;

import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.Relay;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import redis.clients.jedis.Jedis;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Where keys land and which keys would move, for keys of a file and for keys of real nodes. */
class KeysTest {
    private static final int KEYS = 300;

    private static Nodes nodes;

    @TempDir static Path folder;
    private static Path old;
    private static Path next; // A configuration without the third node.

    @BeforeAll
    static void fill() throws Exception {
        nodes = Nodes.start(3);
        old = Ran.file(folder, "old.yml", nodes.config("timeout: 30000"));
        String third = "    - " + nodes.servers().get(2).server() + "\n";
        next = Ran.file(folder, "new.yml", nodes.config("timeout: 30000").replace(third, ""));
        try (OneHopClient client = nodes.client("timeout: 30000")) {
            IntStream.range(0, KEYS).forEach(i -> client.set("key:" + i, "value"));
        }
    }

    @AfterAll
    static void stop() {
        nodes.close();
    }

    private static String lines(String end) {
        return IntStream.range(0, KEYS)
                .mapToObj(i -> "key:" + i + end + "\n")
                .collect(Collectors.joining());
    }

    private static long size(int node) {
        try (Jedis jedis = nodes.servers().get(node).jedis()) {
            return jedis.dbSize();
        }
    }

    @Test
    void theKeysOfAFileLandWhereTheNodesHaveThem() throws Exception {
        Path file = Ran.file(folder, "keys", lines(""));
        Ran ran = Ran.of("spread", "-c", old, "--keys", file).with(ExitStatus.FINE);
        ran.says("alpha: 300 keys of " + file).says("deviation: ");
        Ran.withInput(lines("\t10"), "spread", "-c", old, "-k", "-", "--bytes")
                .with(ExitStatus.FINE)
                .says("300 keys of stdin")
                .says(Screen.bytes(10 * size(0)));
        Ran json = Ran.withInput(lines(""), "spread", "-c", old, "-k", "-", "--json");
        json.with(ExitStatus.FINE)
                .json()
                .getAsJsonArray("nodes")
                .forEach(
                        node -> {
                            String name = node.getAsJsonObject().get("node").getAsString();
                            try (Jedis jedis = nodes.jedis(name)) {
                                long keys = node.getAsJsonObject().get("keys").getAsLong();
                                assertEquals(jedis.dbSize(), keys, name);
                            }
                        });
    }

    @Test
    void aSampleStandsForAllKeys() {
        Ran ran = Ran.of("spread", "-c", old, "--sample", "10", "--rate", "100000", "--json");
        ran.with(ExitStatus.FINE);
        assertEquals(KEYS, ran.json().get("keys").getAsLong());
        assertEquals(30, ran.json().get("seen").getAsLong());
        Ran.of("spread", "-c", old, "--sample", "0", "--no-bytes")
                .with(ExitStatus.FINE)
                .says("300 keys of all nodes");
    }

    @Test
    void aKeyWhereNobodySeeksItIsAFinding() throws Exception {
        Path swapped = Ran.file(folder, "swapped.yml", nodes.config("timeout: 30000", "hash: md5"));
        Ran.of("spread", "-c", swapped, "--sample", "20", "--no-bytes")
                .with(ExitStatus.FINDINGS)
                .says("of 60 sampled keys are on a node where clients do not seek them");
    }

    @Test
    void whereKeysMayBeAnywhereNoneIsAStray() throws Exception {
        for (String directive : List.of("distribution: random", "auto_eject_hosts: true")) {
            String text = nodes.config("timeout: 30000", "hash: md5", directive);
            Path file = Ran.file(folder, "anywhere.yml", text);
            Ran.of("spread", "-c", file, "--sample", "20", "--no-bytes").with(ExitStatus.FINE);
            Ran doctor = Ran.of("doctor", "-c", file, "--rate", "100000");
            assertFalse(doctor.out().contains("are not sought here"), doctor.out());
        }
        Path random =
                Ran.file(folder, "random.yml", nodes.config("hash: md5", "distribution: random"));
        JsonObject spread = Ran.of("spread", "-c", random, "--no-bytes", "--json").json();
        JsonObject first = spread.getAsJsonArray("nodes").get(0).getAsJsonObject();
        try (Jedis jedis = nodes.jedis(first.get("node").getAsString())) {
            assertEquals(jedis.dbSize(), first.get("keys").getAsLong());
        }
        Ran.of("explain", "-c", random, "key:1").with(ExitStatus.FINE).says("node    any");
        Ran.of("diff", old, random).refused(ExitStatus.WRONG_USAGE, "a key may be on any node");
    }

    @Test
    void theKeysOfOtherNodesAreReadThoughOneFails() throws Exception {
        try (RedisServer dead = RedisServer.start()) {
            String text = nodes.config("timeout: 30000") + "    - " + dead.server() + "\n";
            Path file = Ran.file(folder, "dead.yml", text);
            String missing = dead.node() + ": not all of its keys were read: Connection refused";
            dead.kill();
            Ran.of("spread", "-c", file, "--no-bytes")
                    .with(ExitStatus.NO_ANSWER)
                    .says("alpha: 300 keys of a sample")
                    .says(missing);
            Ran.of("diff", file, old, "--no-bytes")
                    .with(ExitStatus.NO_ANSWER)
                    .says(" of 300 keys move")
                    .says(missing);
            Ran hot = Ran.of("hot", "-c", file, "--looks", "1", "--rate", "100000");
            hot.with(ExitStatus.NO_ANSWER).says(" of 300 sampled keys").says(missing);
            Ran json = Ran.of("spread", "-c", file, "--no-bytes", "--json");
            assertTrue(json.json().getAsJsonObject("unread").has(dead.node()), json.out());
        }
    }

    @Test
    void aConnectionLostDuringScanIsSaid() throws Exception {
        int port = nodes.servers().get(0).port();
        try (Relay relay = Relay.to(port)) {
            relay.limit(600); // A reply to SCAN is longer.
            String first = "    - " + nodes.servers().get(0).server();
            String text = nodes.config("timeout: 30000").replace(first, "    - " + relay.server());
            Ran.of("spread", "-c", Ran.file(folder, "relay.yml", text), "--no-bytes")
                    .with(ExitStatus.NO_ANSWER)
                    .says(": not all of its keys were read: 0 of " + size(0) + ", then ");
        }
    }

    @Test
    void theKeysOfANodeThatLeavesMove() throws Exception {
        Path file = Ran.file(folder, "keys", lines(""));
        String third = nodes.servers().get(2).node();
        long moved = size(2);
        Ran.of("diff", old, next, "--keys", file)
                .with(ExitStatus.FINDINGS)
                .says(third)
                .says(moved + " of 300 keys move");
        Ran sampled = Ran.of("diff", old, next, "--sample", "0", "--rate", "100000", "--json");
        assertEquals(moved, sampled.with(ExitStatus.FINDINGS).json().get("moved").getAsLong());
        assertEquals(KEYS, sampled.json().get("keys").getAsLong());
        Ran.of("diff", old, old, "--keys", file)
                .with(ExitStatus.FINE)
                .says("0 of 300 keys move (0.0 %)");
    }

    @Test
    void keysThatHaveNotMovedYetAreSoughtWhereTheyAre() throws Exception {
        String from = Files.readString(old).replaceFirst("(?s).*  servers:", "  moving_from:");
        Path moving = Ran.file(folder, "moving.yml", Files.readString(next) + from);
        Ran.of("spread", "-c", moving, "--sample", "0", "--no-bytes").with(ExitStatus.FINE);
        Ran sampled = Ran.of("diff", moving, next, "--sample", "0", "--rate", "100000", "--json");
        long left = sampled.with(ExitStatus.FINDINGS).json().get("moved").getAsLong();
        assertEquals(size(2), left, "moving_from may not go yet");
    }

    @Test
    void aFileOfKeysWithAFaultNamesItsLine() throws Exception {
        Ran.withInput("a\t1\nb\n", "spread", "-c", old, "-k", "-", "--bytes")
                .refused(ExitStatus.WRONG_USAGE, "-, line 2: with --bytes a line is a key");
        Path binary = folder.resolve("binary");
        Files.write(binary, new byte[] {(byte) 0xff, 0, '\n', 'x'});
        Ran.of("spread", "-c", old, "-k", binary).with(ExitStatus.FINE).says("2 keys of");
    }
}
