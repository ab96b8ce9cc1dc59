package io.onehop.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;

import io.onehop.core.Node;
import io.onehop.core.Topology;
import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientPauseMode;
import redis.clients.jedis.params.SetParams;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** onehop move: two nodes become three, or others, and nothing is left at the old places. */
class MoveTest {
    private static final String PATIENT = "timeout: 30000";
    private static final int KEYS = 200;

    private static Nodes nodes = Nodes.start(3);

    @TempDir Path folder;

    @AfterAll
    static void stop() {
        nodes.close();
    }

    @BeforeEach
    void flush() {
        nodes.flush();
    }

    @AfterEach
    void allowAgain() {
        for (RedisServer each : nodes.servers()) {
            try (Jedis jedis = each.jedis()) {
                jedis.aclDelUser("mover");
            }
        }
    }

    /* ---- Files ---- */

    private static Stream<String> old() {
        return nodes.servers().stream().limit(2).map(RedisServer::server);
    }

    private static String oldText(String... directives) {
        return Nodes.configOf(old(), directives);
    }

    private static String from(Stream<String> servers) {
        StringBuilder text = new StringBuilder("  moving_from:\n");
        servers.forEach(each -> text.append("    - ").append(each).append('\n'));
        return text.toString();
    }

    private static String movingText(String... directives) {
        return nodes.config(directives) + from(old());
    }

    private Path file(String text) throws Exception {
        return Ran.file(folder, "move.yml", text);
    }

    private static void fill(String config) {
        try (OneHopClient client = Nodes.clientOf(config)) {
            IntStream.range(0, KEYS).forEach(i -> client.set("key:" + i, "value " + i));
        }
    }

    /** Every key of fill() is where a client without moving_from seeks it, and nowhere else. */
    private static void assertAllMoved(String config) {
        try (OneHopClient client = Nodes.clientOf(config)) {
            for (int i = 0; i < KEYS; i++) {
                assertEquals("value " + i, client.get("key:" + i));
            }
            assertEquals(KEYS, client.dbSize());
        }
    }

    private static List<String> moving(int count) {
        try (OneHopClient client = Nodes.clientOf(movingText(PATIENT))) {
            Topology topology = client.topology();
            return IntStream.iterate(0, i -> i + 1)
                    .mapToObj(i -> "moving:" + i)
                    .filter(key -> topology.explain(key).movesFrom() != null)
                    .limit(count)
                    .toList();
        }
    }

    private static Jedis jedis(Node node) {
        return nodes.jedis(node.name());
    }

    private Ran move(Path file, Object... words) {
        return Ran.of(Stream.concat(Stream.of("move", "-c", file), Stream.of(words)).toArray());
    }

    /**
     * Fails if a key went by DUMP. If a busy machine has let a MIGRATE wait for more than a second,
     * DUMP is allowed.
     */
    private static void assertMigrated(JsonObject answer) {
        boolean isLate = false;
        for (RedisServer each : nodes.servers()) {
            try (Jedis jedis = each.jedis()) {
                isLate |= jedis.info("errorstats").contains("errorstat_IOERR");
            }
        }
        assertTrue(isLate || answer.get("by_dump_and_restore").getAsLong() == 0, answer::toString);
    }

    /* ---- What moves ---- */

    @Test
    void everyTypeArrivesWithItsTimeToLive() throws Exception {
        List<String> keys = moving(5);
        try (OneHopClient client = Nodes.clientOf(oldText(PATIENT))) {
            client.set(keys.get(0), "text", SetParams.setParams().ex(1000));
            client.rpush(keys.get(1), "a", "b");
            client.hset(keys.get(2), Map.of("field", "value"));
            client.zadd(keys.get(3), 1.5, "member");
            client.xadd(
                    keys.get(4),
                    Map.of("field", "value"),
                    new redis.clients.jedis.params.XAddParams());
            client.expire(keys.get(4), 2000);
        }
        Ran ran = move(file(movingText(PATIENT))).with(ExitStatus.FINE);
        ran.says("5 keys moved").says("nothing is left at the old places: moving_from can go");
        try (OneHopClient client = nodes.client(PATIENT)) {
            assertEquals("text", client.get(keys.get(0)));
            assertTrue(client.ttl(keys.get(0)) > 900);
            assertEquals(List.of("a", "b"), client.lrange(keys.get(1), 0, -1));
            assertEquals(-1, client.ttl(keys.get(1)));
            assertEquals(Map.of("field", "value"), client.hgetAll(keys.get(2)));
            assertEquals(1.5, client.zscore(keys.get(3), "member"));
            assertEquals(1, client.xlen(keys.get(4)));
            assertTrue(client.ttl(keys.get(4)) > 1900);
            assertEquals(5, client.dbSize());
        }
    }

    @Test
    void onlyKeysThatMoveAreTouched() throws Exception {
        fill(oldText(PATIENT));
        String stray = moving(1).get(0); // It is put on the other old node.
        try (OneHopClient client = Nodes.clientOf(oldText(PATIENT))) {
            Node owner = client.topology().locate(stray);
            Node other = client.topology().nodes().get(1 - owner.index());
            try (Jedis jedis = jedis(other)) {
                jedis.set(stray, "stray");
            }
            Ran ran = move(file(movingText(PATIENT)), "--json").with(ExitStatus.FINE);
            JsonObject answer = ran.json();
            assertTrue(answer.get("nothing_left").getAsBoolean());
            assertMigrated(answer);
            try (Jedis jedis = jedis(other);
                    Jedis added = nodes.servers().get(2).jedis()) {
                assertEquals("stray", jedis.get(stray));
                assertEquals(added.dbSize(), answer.get("keys").getAsLong());
                jedis.del(stray);
            }
        }
        assertAllMoved(nodes.config(PATIENT));
        assertEquals(0, nodes.servers().get(0).calls("keys"));
        assertEquals(0, nodes.servers().get(0).calls("monitor"));
    }

    @Test
    void aNodeThatLeavesIsEmpty() throws Exception {
        fill(oldText(PATIENT));
        String first = nodes.servers().get(0).server();
        String left = Nodes.configOf(Stream.of(first), PATIENT);
        String second = nodes.servers().get(1).node();
        move(file(left + from(old())), "alpha")
                .with(ExitStatus.FINE)
                .says(second + " has no keys of this server pool any more\n");
        assertAllMoved(left);
        try (Jedis jedis = nodes.jedis(second)) {
            assertEquals(0, jedis.dbSize());
        }
    }

    @Test
    void aNodeThatLeavesMayHaveKeysOfOthers() throws Exception {
        String first = nodes.servers().get(0).node();
        String second = nodes.servers().get(1).node();
        try (OneHopClient client = Nodes.clientOf(oldText(PATIENT));
                Jedis jedis = nodes.jedis(second)) {
            jedis.set(Nodes.keyOn(client, first), "stray");
        }
        String left = Nodes.configOf(Stream.of(nodes.servers().get(0).server()), PATIENT);
        move(file(left + from(old())))
                .with(ExitStatus.FINE)
                .says(second + " has 1 keys that this server pool does not place there");
    }

    @Test
    void anotherDistributionHashAndTagMoveBetweenNodesOfBothRings() throws Exception {
        String before = oldText(PATIENT, "distribution: modula", "hash: md5", "hash_tag: \"{}\"");
        String after = Nodes.configOf(old(), PATIENT, "hash_tag: \"[]\"");
        fill(before);
        String text =
                after
                        + from(old())
                        + "  moving_from_distribution: modula\n  moving_from_hash: md5\n"
                        + "  moving_from_hash_tag: \"{}\"\n";
        long migrated = nodes.servers().get(0).calls("migrate");
        JsonObject answer = move(file(text), "--json").with(ExitStatus.FINE).json();
        assertEquals(answer.get("keys"), answer.get("by_dump_and_restore"));
        assertEquals(migrated, nodes.servers().get(0).calls("migrate"), "two nodes of both rings");
        assertAllMoved(after);
    }

    @Test
    void onlyTheDatabaseOfTheServerPoolIsMoved() throws Exception {
        fill(oldText(PATIENT));
        fill(oldText(PATIENT, "database: 3"));
        move(file(movingText(PATIENT, "database: 3"))).with(ExitStatus.FINE);
        assertAllMoved(nodes.config(PATIENT, "database: 3"));
        assertAllMoved(oldText(PATIENT));
    }

    @Test
    void keysComeFromAUnixSocketByDumpAndRestore() throws Exception {
        String socket = nodes.servers().get(0).unixSocket() + ":1";
        fill(Nodes.configOf(Stream.of(socket), PATIENT));
        String after = Nodes.configOf(Stream.of(nodes.servers().get(2).server()), PATIENT);
        JsonObject answer =
                move(file(after + from(Stream.of(socket))), "--json").with(ExitStatus.FINE).json();
        assertEquals(KEYS, answer.get("by_dump_and_restore").getAsLong());
        assertAllMoved(after);
    }

    @Test
    void oneServerByTwoAddressesKeepsItsKeys() throws Exception {
        String named = nodes.servers().get(0).server().replace("127.0.0.1", "localhost");
        String after = Nodes.configOf(Stream.of(named), PATIENT);
        fill(after);
        move(file(after + from(Stream.of(nodes.servers().get(0).server()))))
                .with(ExitStatus.FINE)
                .says("alpha: 0 keys moved")
                .says(nodes.servers().get(0).node() + " is the same server as localhost:");
        assertAllMoved(after);
    }

    /* ---- Other server pools ---- */

    private static String beta(String text) {
        return text.replace("alpha:", "beta:")
                .replace("listen: 127.0.0.1:1", "listen: 127.0.0.1:2");
    }

    @Test
    void aServerPoolWithKeysInTheSameDatabaseIsNamed() throws Exception {
        fill(oldText(PATIENT));
        String second = nodes.servers().get(1).server();
        String beta = beta(Nodes.configOf(Stream.of(second), PATIENT));
        Path file = file(movingText(PATIENT) + beta);
        String said =
                nodes.servers().get(1).node()
                        + ": server pool beta may have keys in database 0 of it, too";
        move(file, "alpha").refused(ExitStatus.WRONG_USAGE, said);
        assertAllMoved(oldText(PATIENT));
        Ran plan = Ran.of("plan", "-c", file, "alpha").with(ExitStatus.FINDINGS);
        plan.says(said.replace(": server", ": error: server"));
    }

    @Test
    void otherServerPoolsOfOldNodesMayHaveAnotherDatabaseOrTheSameKeys() throws Exception {
        fill(oldText(PATIENT));
        String other = beta(Nodes.configOf(old(), PATIENT, "database: 1"));
        String same = beta(movingText("timeout: 20000")).replace("beta:", "gamma:");
        move(
                        file(
                                movingText(PATIENT)
                                        + other
                                        + same.replace("127.0.0.1:2", "127.0.0.1:3")),
                        "alpha")
                .with(ExitStatus.FINE);
        assertAllMoved(nodes.config(PATIENT));
    }

    /* ---- What stands in the way ---- */

    private void bothHaveIt(Path file) {
        String key = moving(1).get(0);
        try (OneHopClient client = Nodes.clientOf(oldText(PATIENT));
                OneHopClient next = nodes.client(PATIENT)) {
            client.set(key, "old");
            next.set(key, "newer");
            moving(20).stream().skip(1).forEach(each -> client.set(each, "value"));
            move(file, "--json").with(ExitStatus.FINE);
            assertEquals("newer", next.get(key));
            try (Jedis old = jedis(client.topology().locate(key))) {
                assertFalse(old.exists(key));
            }
            assertEquals(20, next.dbSize());
        }
    }

    @Test
    void theNewerValueIsThatOfTheNewNode() throws Exception {
        bothHaveIt(file(movingText(PATIENT)));
    }

    private void allow(String rights) {
        for (RedisServer each : nodes.servers()) {
            try (Jedis jedis = each.jedis()) {
                String[] words = ("on >secret allkeys allchannels +@all " + rights).split(" ");
                jedis.aclSetUser("mover", words);
            }
        }
    }

    @Test
    void aUserMigratesWithItsOwnName() throws Exception {
        allow("-flushall");
        fill(oldText(PATIENT));
        Path file = file(movingText(PATIENT, "username: mover", "redis_auth: secret"));
        JsonObject answer = move(file, "--json").with(ExitStatus.FINE).json();
        assertMigrated(answer);
        assertAllMoved(nodes.config(PATIENT));
    }

    @Test
    void whoMayNotMigrateMovesByDumpAndRestore() throws Exception {
        allow("-migrate");
        fill(oldText(PATIENT));
        Path file = file(movingText(PATIENT, "username: mover", "redis_auth: secret"));
        JsonObject answer = move(file, "--json").with(ExitStatus.FINE).json();
        assertEquals(answer.get("keys"), answer.get("by_dump_and_restore"));
        assertAllMoved(nodes.config(PATIENT));
        flush();
        bothHaveIt(file);
    }

    /** RESTORE takes longer than programs would wait, as it does with a large key. */
    @Test
    void aSlowRestoreIsWaitedFor() throws Exception {
        allow("-migrate -wait -publish");
        List<String> keys = fillWithMoving();
        Path file = file(movingText("timeout: 5000", "username: mover", "redis_auth: secret"));
        try (Jedis jedis = nodes.servers().get(2).jedis()) {
            jedis.clientPause(10_000, ClientPauseMode.WRITE);
            move(file).with(ExitStatus.FINE).says("nothing is left");
        }
        assertMoved(keys);
    }

    @Test
    void aNodeThatRefusesKeysIsAFinding() throws Exception {
        allow("-restore -migrate");
        try (OneHopClient client = Nodes.clientOf(oldText(PATIENT))) {
            moving(20).forEach(key -> client.set(key, "value"));
        }
        move(file(movingText(PATIENT, "username: mover", "redis_auth: secret")))
                .with(ExitStatus.FINDINGS)
                .says("refused: ")
                .says("NOPERM")
                .says("keys are left: nodes refuse them");
    }

    @Test
    void aNodeThatDoesNotSayHowLargeKeysAreCannotBeLimited() throws Exception {
        allow("-memory|usage");
        fill(oldText(PATIENT));
        Path file = file(movingText(PATIENT, "username: mover", "redis_auth: secret"));
        move(file).with(ExitStatus.NO_ANSWER).says("so --rate cannot be kept");
        move(file, "--rate", "0").with(ExitStatus.FINE);
        assertAllMoved(nodes.config(PATIENT));
    }

    @Test
    void aDeadNodeIsNamed() throws Exception {
        try (Nodes dying = Nodes.start(2)) {
            String before = Nodes.configOf(Stream.of(dying.servers().get(0).server()), PATIENT);
            String after = Nodes.configOf(Stream.of(dying.servers().get(1).server()), PATIENT);
            fill(before);
            Path file = file(after + from(Stream.of(dying.servers().get(0).server())));
            dying.servers().get(1).kill();
            move(file)
                    .with(ExitStatus.NO_ANSWER)
                    .says(dying.servers().get(1).node() + ": ")
                    .says("keys are left: a node has failed; run it again");
            try (Jedis jedis = dying.servers().get(0).jedis()) {
                assertEquals(KEYS, jedis.dbSize(), "nothing is lost");
            }
            dying.servers().get(0).kill();
            move(file).with(ExitStatus.NO_ANSWER).says(dying.servers().get(0).node() + ": ");
        }
    }

    @Test
    void aLargeKeyIsNamedWithItsTime() throws Exception {
        String key = moving(1).get(0);
        try (OneHopClient client = Nodes.clientOf(oldText(PATIENT))) {
            client.set(key, "x".repeat(8 << 20));
        }
        move(file(movingText(PATIENT)), "--rate", "0", "--block", "1")
                .with(ExitStatus.FINE)
                .says("one key of ")
                .says(": " + key + "\n");
    }

    @Test
    void aServerPoolWithoutAnOldRingIsRefused() throws Exception {
        move(file(nodes.config())).refused(ExitStatus.WRONG_USAGE, "has no moving_from");
        move(file(movingText()), "--rate", "fast")
                .refused(ExitStatus.WRONG_USAGE, "--rate is fast");
        move(file(movingText()), "--block", "0").refused(ExitStatus.WRONG_USAGE, "--block is 0");
    }

    /* ---- Ended early ---- */

    private static long atNewNode() {
        try (Jedis jedis = nodes.servers().get(2).jedis()) {
            return jedis.dbSize();
        }
    }

    private static void awaitFirstKeys() throws InterruptedException {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (atNewNode() == 0 && System.nanoTime() - endNs < 0) {
            Thread.sleep(10);
        }
        assertTrue(atNewNode() > 0);
    }

    private static List<String> fillWithMoving() {
        List<String> keys = moving(KEYS);
        try (OneHopClient client = Nodes.clientOf(oldText(PATIENT))) {
            keys.forEach(key -> client.set(key, "value of " + key));
        }
        return keys;
    }

    private static void assertMoved(List<String> keys) {
        try (OneHopClient client = nodes.client(PATIENT)) {
            keys.forEach(key -> assertEquals("value of " + key, client.get(key)));
            assertEquals(keys.size(), client.dbSize());
        }
    }

    @Test
    void aMoveThatWasKilledGoesOn() throws Exception {
        List<String> keys = fillWithMoving();
        Path file = file(movingText(PATIENT));
        Process slow =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                OneHopCommands.class.getName(),
                                "move",
                                "-c",
                                file.toString(),
                                "--rate",
                                "100")
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        awaitFirstKeys();
        slow.destroyForcibly().waitFor();
        move(file).with(ExitStatus.FINE).says("nothing is left");
        assertMoved(keys);
    }

    @Test
    void anotherFileEndsIt() throws Exception {
        List<String> keys = fillWithMoving();
        Path file = file(movingText(PATIENT));
        CompletableFuture<Ran> ran =
                CompletableFuture.supplyAsync(() -> move(file, "--rate", "100"));
        awaitFirstKeys();
        file(nodes.config(PATIENT));
        ran.get(Duration.ofSeconds(30).toMillis(), TimeUnit.MILLISECONDS)
                .refused(ExitStatus.WRONG_USAGE, "the configuration has changed meanwhile");
        file(movingText(PATIENT));
        move(file).with(ExitStatus.FINE);
        assertMoved(keys);
    }
}
