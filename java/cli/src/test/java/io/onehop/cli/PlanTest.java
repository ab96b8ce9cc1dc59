package io.onehop.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;

import io.onehop.core.Node;
import io.onehop.core.Role;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import redis.clients.jedis.Jedis;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** onehop plan: what a move from one node to two others will take. It changes nothing. */
class PlanTest {
    private static final String PATIENT = "timeout: 30000";
    private static final int KEYS = 100;

    private static Nodes nodes;

    @TempDir static Path folder;

    @BeforeAll
    static void fill() {
        nodes = Nodes.start(3);
        try (Jedis jedis = old().jedis()) {
            IntStream.range(0, KEYS).forEach(i -> jedis.set("key:" + i, "value"));
            jedis.set("large", "x".repeat(4 << 20));
        }
        for (RedisServer each : nodes.servers()) {
            try (Jedis jedis = each.jedis()) {
                jedis.aclSetUser("mover", "on", ">secret", "allkeys", "+@all", "-migrate");
            }
        }
    }

    @AfterAll
    static void stop() {
        nodes.close();
    }

    private static RedisServer old() {
        return nodes.servers().get(0);
    }

    private static Path file(String... directives) throws Exception {
        String text =
                Nodes.configOf(
                        nodes.servers().stream().skip(1).map(RedisServer::server), directives);
        return Ran.file(folder, "plan.yml", text + "  moving_from:\n    - " + old().server());
    }

    @Test
    void whatMovesIsCountedForEachPairOfNodes() throws Exception {
        Path file = file(PATIENT);
        JsonObject answer = Ran.of("plan", "alpha", "-c", file, "--json").with(0).json();
        assertEquals(KEYS + 1, answer.get("all").getAsLong());
        assertEquals(KEYS + 1, answer.get("keys").getAsLong());
        assertEquals(2, answer.getAsJsonArray("moves").size());
        JsonObject largest = answer.getAsJsonArray("largest_keys").get(0).getAsJsonObject();
        assertEquals("large", largest.get("key").getAsString());
        assertTrue(answer.get("bytes").getAsLong() > 4 << 20);
        Ran.of("plan", "-c", file)
                .with(ExitStatus.FINE)
                .says(old().node())
                .says("MIGRATE")
                .says("will block its nodes for about ")
                .says(" ms: large\n")
                .says("alpha: about 101 of 101 keys move, ")
                .says("at --rate 10MiB it takes about ");
        try (Jedis jedis = old().jedis()) {
            assertEquals(KEYS + 1, jedis.dbSize(), "it changes nothing");
        }
    }

    @Test
    void aUserWhoMayNotMigrateIsNamed() throws Exception {
        Path file = file(PATIENT, "username: mover", "redis_auth: secret");
        Ran.of("plan", "-c", file)
                .with(ExitStatus.FINE)
                .says(old().node() + ": note: its keys go by DUMP and RESTORE, which is slower")
                .says("no permissions to run the 'migrate' command");
    }

    @Test
    void aNodeWithoutMemoryIsAFinding() throws Exception {
        try (Jedis jedis = nodes.servers().get(1).jedis();
                Jedis other = nodes.servers().get(2).jedis()) {
            jedis.configSet("maxmemory", "4mb");
            other.configSet("maxmemory", "4mb");
            Ran.of("plan", "-c", file(PATIENT))
                    .with(ExitStatus.FINDINGS)
                    .says("has not enough memory: it will refuse keys (maxmemory 4.0 MiB)");
            jedis.configSet("maxmemory", "0");
            other.configSet("maxmemory", "0");
        }
    }

    @Test
    void whatTheCommandLineSaysWrongIsRefused() throws Exception {
        Ran.of("plan", "-c", file(), "--sample", "-1").refused(2, "--sample is -1");
        Ran.of("plan", "-c", file(), "--rate", "x").refused(2, "--rate is x");
    }

    @Test
    void theRateSaysHowLongItTakes() {
        Node from = node(0);
        Node other = node(1);
        MovePlan plan = new MovePlan(1000);
        plan.moves(new SeenKey(new byte[1], 20, 100, from), from, node(2));
        plan.moves(new SeenKey(new byte[1], 30, 100, other), other, node(2));
        assertEquals(3, plan.seconds(List.of(from, other)), 1e-9, "they work in parallel");
        assertEquals(5000, plan.moves().to(2).bytes());
        MovePlan unlimited = new MovePlan(Pace.UNLIMITED);
        unlimited.moves(new SeenKey(new byte[1], 1e6, 100, from), from, node(2));
        assertEquals(13, unlimited.seconds(List.of(from)), 1);
    }

    private static Node node(int index) {
        String name = "node" + index;
        return new Node(
                index, name, name, 6379, null, 1, "", Role.NONE, index, false, false, false);
    }
}
