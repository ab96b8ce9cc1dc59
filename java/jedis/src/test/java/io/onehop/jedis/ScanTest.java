package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertBegins;
import static io.onehop.jedis.lab.Said.assertEnds;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.resps.ScanResult;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * SCAN returns every key of all nodes. Its cursor means the same to every client with the same
 * topology.
 */
class ScanTest {
    private static final int KEYS = 1000;

    @RegisterExtension static final SharedNodes SHARED = SharedNodes.start(4);
    private static final Nodes nodes = SHARED.nodes();
    private static final OneHopClient redis = SHARED.client();

    @BeforeEach
    void fill() {
        String[] pairs =
                IntStream.range(0, KEYS)
                        .boxed()
                        .flatMap(i -> List.of("key:" + i, "v").stream())
                        .toArray(String[]::new);
        redis.mset(pairs);
        redis.sadd("set", "member");
    }

    private static Set<String> all() {
        Set<String> keys =
                IntStream.range(0, KEYS).mapToObj(i -> "key:" + i).collect(Collectors.toSet());
        keys.add("set");
        return keys;
    }

    @Test
    void everyKeyIsFoundAndZeroIsTheEnd() {
        Set<String> seen = new HashSet<>();
        String cursor = ScanParams.SCAN_POINTER_START;
        do {
            ScanResult<String> batch = redis.scan(cursor);
            seen.addAll(batch.getResult());
            cursor = batch.getCursor();
            assertTrue(Long.parseLong(cursor) >= 0, cursor);
        } while (!cursor.equals("0"));
        assertEquals(all(), seen);
    }

    @Test
    void patternsCountsTypesAndBytesAreAppliedByTheNodes() {
        List<String> seen = new ArrayList<>();
        String cursor = "0";
        do {
            ScanResult<String> batch =
                    redis.scan(cursor, new ScanParams().match("key:1*").count(500));
            seen.addAll(batch.getResult());
            cursor = batch.getCursor();
        } while (!cursor.equals("0"));
        assertEquals(111, new HashSet<>(seen).size());
        byte[] bytes = {'0'};
        Set<String> sets = new HashSet<>();
        do {
            ScanResult<byte[]> batch =
                    redis.scan(
                            bytes,
                            new ScanParams().count(300),
                            "set".getBytes(StandardCharsets.UTF_8));
            batch.getResult().forEach(key -> sets.add(new String(key, StandardCharsets.UTF_8)));
            bytes = batch.getCursorAsBytes();
        } while (!(bytes.length == 1 && bytes[0] == '0'));
        assertEquals(Set.of("set"), sets);
    }

    @Test
    void anotherClientOfTheTopologyContinuesTheScan() {
        Set<String> seen = new HashSet<>();
        String cursor = "0";
        do {
            try (OneHopClient another = nodes.client()) {
                ScanResult<String> batch = another.scan(cursor, new ScanParams().count(200));
                seen.addAll(batch.getResult());
                cursor = batch.getCursor();
            }
        } while (!cursor.equals("0"));
        assertEquals(all(), seen);
    }

    @Test
    void aCursorOfAnotherTopologyIsAnErrorAndNotTheEndOfTheScan() {
        String cursor = redis.scan("0").getCursor();
        try (OneHopClient another = nodes.client("hash: md5")) {
            Unsupported foreign = assertThrows(Unsupported.class, () -> another.scan(cursor));
            assertEnds("; start again with 0", foreign);
        }
        assertThrows(Unsupported.class, () -> redis.scan("17"));
        assertThrows(Unsupported.class, () -> redis.scan("x"));
        assertThrows(
                Unsupported.class, () -> redis.executeCommand(new CommandArguments(Command.SCAN)));
    }

    @Test
    void iterationsVisitAllNodes() {
        assertEquals(
                all(), new HashSet<>(redis.scanIteration(100, "*").collect(new ArrayList<>())));
        assertEquals(
                List.of("set"), redis.scanIteration(100, "*", "set").collect(new ArrayList<>()));
        var iteration = redis.scanIteration(1000, "*");
        int batches = 0;
        while (!iteration.isIterationCompleted()) {
            iteration.nextBatchList();
            batches++;
        }
        assertTrue(batches >= 4, "a batch for each node at least: " + batches);
        nodes.flush();
        assertEquals(List.of(), redis.scanIteration(10, "*").collect(new ArrayList<>()));
    }

    @Test
    void keysThatStayAreFoundWhileOthersComeAndGo() {
        Set<String> seen = new HashSet<>();
        String cursor = "0";
        int number = 0;
        do {
            ScanResult<String> batch = redis.scan(cursor, new ScanParams().count(50));
            seen.addAll(batch.getResult());
            cursor = batch.getCursor();
            for (int i = 0; i < 100; i++, number++) {
                redis.set("new:" + number, "v");
                redis.del("new:" + (number - 50));
            }
        } while (!cursor.equals("0"));
        assertTrue(seen.containsAll(all()));
    }

    @Test
    void cursorsOf64BitsAreKeptForThisClient() {
        List<String> cursors =
                List.of("0", "9286422431638134784", "1099511627776", "18446744073709551615");
        List<String> asked = new CopyOnWriteArrayList<>();
        ScriptedNode.Script script =
                talk -> {
                    talk.handshake();
                    for (List<String> c : talk.commands()) {
                        asked.add(c.get(1));
                        int page = cursors.indexOf(c.get(1));
                        talk.send("*2\r\n").bulk(cursors.get((page + 1) % cursors.size()));
                        talk.send("*1\r\n").bulk("key of page " + page);
                    }
                };
        try (ScriptedNode one = ScriptedNode.start(script);
                ScriptedNode two = ScriptedNode.start(script);
                OneHopClient client = Inspected.clientOf(Stream.of(one, two), "timeout: 30000");
                OneHopClient another = Inspected.clientOf(Stream.of(one, two), "timeout: 30000")) {
            List<String> seen = new ArrayList<>();
            String cursor = "0";
            do {
                ScanResult<String> batch = client.scan(cursor);
                String next = batch.getCursor();
                if (seen.isEmpty()) {
                    assertBegins(
                            "The cursor is not known here",
                            assertThrows(Unsupported.class, () -> another.scan(next)));
                }
                seen.addAll(batch.getResult());
                cursor = next;
                assertTrue(Long.parseLong(cursor) >= 0, cursor);
            } while (!cursor.equals("0"));
            assertEquals(2 * cursors.size(), seen.size());
            assertEquals(cursors.size(), new HashSet<>(seen).size());
            assertEquals(cursors, asked.subList(0, cursors.size()));
        }
    }

    @Test
    void aReplyWithoutAValidCursorIsAViolation() {
        for (String cursor : List.of("18446744073709551616", "x", "")) {
            try (ScriptedNode node =
                            ScriptedNode.start(
                                    talk -> {
                                        talk.handshake();
                                        talk.command();
                                        talk.send("*2\r\n")
                                                .bulk(cursor)
                                                .send("*0\r\n")
                                                .awaitClose();
                                    });
                    OneHopClient client = node.client()) {
                ProtocolViolation failure =
                        assertThrows(ProtocolViolation.class, () -> client.scan("0"));
                assertEquals(node.node(), failure.getNode());
                Inspected.assertNothingLeased(client);
            }
        }
    }

    @Test
    void hscanAndTheLikeGoToTheKeysNode() {
        redis.hset("hash", "field", "value");
        assertEquals(1, redis.hscan("hash", "0").getResult().size());
        assertFalse(redis.sscan("set", "0").getResult().isEmpty());
    }
}
