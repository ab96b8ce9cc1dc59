package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.CommandObjects;
import redis.clients.jedis.exceptions.JedisDataException;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The spans that a client makes: their names and attributes. No key or value is in a span. */
class TracingTest {
    private static final String SECRET = "secret";

    private static Nodes nodes;
    private static String lost;

    private final ObservationRegistry registry = ObservationRegistry.create();
    private final List<Observation.Context> spans = new ArrayList<>();
    private OneHopClient redis;

    /** Keeps all observations that have ended, in order. */
    private final class Recorder implements ObservationHandler<Observation.Context> {
        @Override
        public void onStop(Observation.Context context) {
            spans.add(context);
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }
    }

    @BeforeAll
    static void startTheNodes() {
        nodes = Nodes.start(2);
        lost = "127.0.0.1:" + Processes.freePort();
    }

    @AfterAll
    static void stopTheNodes() {
        nodes.close();
    }

    @BeforeEach
    void connect() {
        nodes.flush();
        registry.observationConfig().observationHandler(new Recorder());
        redis =
                client(
                        Nodes.configOf(
                                Stream.of(
                                        nodes.servers().get(0).server() + " one",
                                        nodes.servers().get(1).server() + " two",
                                        lost + ":1 lost"),
                                "database: 3"));
    }

    @AfterEach
    void noSpanHasAKeyOrAValue() {
        redis.close();
        for (Observation.Context span : spans) {
            assertFalse(shown(span).toString().contains(SECRET), shown(span).toString());
            assertFalse(String.valueOf(span.getError()).contains(SECRET), shown(span).toString());
        }
    }

    private OneHopClient client(String config) {
        return OneHopClient.builder()
                .configText(config)
                .pool("alpha")
                .tracing(new OneHopTracing(registry))
                .build();
    }

    /** A key on that node. Its text must not be in any span. */
    private String keyOn(String node) {
        return Stream.iterate(0, i -> i + 1)
                .map(i -> SECRET + i)
                .filter(key -> redis.topology().locate(key).name().equals(node))
                .findFirst()
                .orElseThrow();
    }

    private static Map<String, String> shown(Observation.Context span) {
        Map<String, String> shown = new TreeMap<>();
        for (KeyValue each : span.getAllKeyValues()) {
            shown.put(each.getKey(), each.getValue());
        }
        shown.put("name", span.getContextualName());
        return shown;
    }

    /** Asserts that there is one new span, with this name and exactly these other attributes. */
    private void assertSpan(String name, String... attributes) {
        assertEquals(1, spans.size(), spans.toString());
        assertEquals(expected(name, attributes), shown(spans.remove(0)));
    }

    private static Map<String, String> expected(String name, String... attributes) {
        Map<String, String> expected = new TreeMap<>();
        expected.put("name", name);
        expected.put("db.system.name", "redis");
        expected.put("db.operation.name", name);
        expected.put("db.namespace", "3");
        expected.put("onehop.pool", "alpha");
        for (String attribute : attributes) {
            String[] pair = attribute.split("=", 2);
            expected.put(pair[0], pair[1]);
        }
        return expected;
    }

    private static String[] on(String node, String... more) {
        String port =
                switch (node) {
                    case "one" -> nodes.servers().get(0).node().split(":")[1];
                    case "two" -> nodes.servers().get(1).node().split(":")[1];
                    default -> lost.split(":")[1];
                };
        return Stream.concat(
                        Stream.of(
                                "onehop.node=" + node,
                                "server.address=127.0.0.1",
                                "server.port=" + port),
                        Stream.of(more))
                .toArray(String[]::new);
    }

    @Test
    void theSpanOfACallIsAChildOfTheCallersSpan() {
        Observation caller = Observation.start("page", registry);
        try (Observation.Scope scope = caller.openScope()) {
            redis.set(keyOn("one"), SECRET);
            assertSame(caller, scope.getCurrentObservation());
        }
        caller.stop();
        assertEquals("page", spans.remove(1).getName());
        Observation.Context span = spans.get(0);
        assertEquals("onehop.call", span.getName());
        assertSame(caller.getContextView(), span.getParentObservation().getContextView());
        assertEquals(Kind.CLIENT, ((SenderContext<?>) span).getKind());
        assertNull(span.getError());
        assertSpan("SET", on("one"));
        assertNull(registry.getCurrentObservation());
    }

    @Test
    void theSpanOfASplitCommandSaysHowManyNodesItHas() {
        redis.mget(keyOn("one"), keyOn("two"));
        assertSpan("MGET", "onehop.nodes=2");
        redis.onNode("two", CommandObjects::dbSize);
        assertSpan("DBSIZE", on("two"));
        redis.onNode("one", CommandObjects::slowlogReset);
        assertSpan("SLOWLOG RESET", on("one"));
    }

    @Test
    void aBatchIsOneSpan() {
        try (AbstractPipeline batch = redis.pipelined()) {
            batch.get(keyOn("one"));
            batch.get(keyOn("two"));
            batch.sync();
            assertSpan("PIPELINE GET", "db.operation.batch.size=2", "onehop.nodes=2");
            batch.set(keyOn("one"), SECRET);
            batch.get(keyOn("one"));
            batch.get(keyOn("one"));
            batch.sync();
            assertSpan("PIPELINE", on("one", "db.operation.batch.size=3"));
            batch.get(keyOn("two"));
        }
        assertSpan("PIPELINE GET", on("two"));
    }

    @Test
    void theSpanOfAFailedCallNamesTheErrorKindAndTheNode() {
        assertThrows(NodeDown.class, () -> redis.get(keyOn("lost")));
        assertEquals("NodeDown: the command was not sent", spans.get(0).getError().getMessage());
        assertSpan("GET", on("lost", "error.type=NodeDown"));

        redis.set(keyOn("one"), SECRET);
        spans.clear();
        assertThrows(JedisDataException.class, () -> redis.incr(keyOn("one")));
        assertSpan("INCR", on("one", "error.type=ERR", "db.response.status_code=ERR"));
        assertThrows(JedisDataException.class, () -> redis.lpush(keyOn("one"), SECRET));
        assertSpan("LPUSH", on("one", "error.type=WRONGTYPE", "db.response.status_code=WRONGTYPE"));

        String script = "return {err = 'MINE ' .. KEYS[1]}";
        assertThrows(
                JedisDataException.class,
                () -> redis.eval(script, List.of(keyOn("two")), List.of()));
        assertSpan("EVAL", on("two", "error.type=MINE", "db.response.status_code=MINE"));
        assertThrows(CrossNode.class, () -> redis.rename(keyOn("one"), keyOn("two")));
        assertSpan("RENAME", "error.type=CrossNode");
    }

    @Test
    void theSpanOfABatchThatFailsInPartNamesTheNodeThatFailed() {
        AbstractPipeline batch = redis.pipelined();
        batch.set(keyOn("one"), SECRET);
        batch.set(keyOn("lost"), SECRET);
        assertThrows(PartialBatch.class, batch::sync);
        assertSpan(
                "PIPELINE SET",
                on(
                        "lost",
                        "db.operation.batch.size=2",
                        "onehop.nodes=2",
                        "error.type=PartialBatch"));
    }

    @Test
    void aTransactionIsOneSpanAndEachCallBeforeMultiIsOne() {
        try (AbstractTransaction transaction = redis.transaction(false)) {
            transaction.watch(keyOn("one"));
            assertSpan("WATCH", on("one"));
            transaction.get(keyOn("one"));
            assertSpan("GET", on("one"));
            transaction.get(keyOn("two"));
            assertSpan("GET", on("two"));
            transaction.multi();
            transaction.set(keyOn("one"), SECRET);
            transaction.get(keyOn("one"));
            assertEquals(List.of(), spans);
            transaction.exec();
            assertSpan("MULTI", on("one", "db.operation.batch.size=2"));
            transaction.watch(keyOn("two"));
            spans.clear();
        }
        assertSpan("UNWATCH", on("two"));
        try (AbstractTransaction transaction = redis.multi()) {
            transaction.incr(keyOn("lost"));
            transaction.incr(keyOn("lost"));
            assertThrows(NodeDown.class, transaction::exec);
        }
        assertSpan("MULTI INCR", on("lost", "db.operation.batch.size=2", "error.type=NodeDown"));
    }

    @Test
    void aCallThatGetsNoMapOfTheClusterHasASpanOfItsQuestionForTheMap() {
        String config =
                "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  cluster: true\n  timeout: 30000\n"
                        + "  servers:\n    - "
                        + lost
                        + ":1\n";
        try (OneHopClient cluster = client(config)) {
            assertThrows(NodeDown.class, () -> cluster.get(SECRET));
        }
        Map<String, String> span = expected("CLUSTER SHARDS", "error.type=NodeDown");
        span.put("db.namespace", "0");
        assertEquals(span, shown(spans.get(0)));
        assertEquals(1, spans.size());
    }

    @Test
    void theSpanOfARedirectedCallNamesTheNodeThatAnswered() {
        try (RedisCluster cluster = RedisCluster.start(2, false);
                OneHopClient client = client(cluster.config())) {
            client.set(SECRET, SECRET);
            assertEquals("CLUSTER SHARDS", shown(spans.get(0)).get("name"));
            int slot = RedisCluster.slot(SECRET);
            int from = cluster.ownerOf(slot);
            cluster.move(slot, from, 1 - from);
            spans.clear();
            assertEquals(SECRET, client.get(SECRET));
            assertEquals(1, spans.size());
            assertEquals(cluster.server(1 - from).node(), shown(spans.get(0)).get("onehop.node"));
            assertNull(spans.get(0).getError());
        }
    }

    @Test
    void aStepOfAnIterationIsASpan() {
        try (RedisServer plain = RedisServer.start();
                OneHopClient other = client(Nodes.configOf(Stream.of(plain.server())))) {
            other.scanIteration(10, "*").nextBatchList();
            Map<String, String> span = shown(spans.get(0));
            assertEquals("SCAN", span.get("name"));
            assertEquals(plain.node(), span.get("onehop.node"));
        }
    }
}
