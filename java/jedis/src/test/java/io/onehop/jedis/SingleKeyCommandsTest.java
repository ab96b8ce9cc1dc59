package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.Samples;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.Response;
import redis.clients.jedis.UnifiedJedis;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Calls every method of UnifiedJedis on four nodes through OneHop and on one node through plain
 * Jedis, with the same data. Replies and errors are the same.
 */
class SingleKeyCommandsTest {
    /* Their answer is different each time, or is about the server, not the data. */
    private static final Set<String> BY_CHANCE =
            Set.of(
                    "srandmember",
                    "spop",
                    "hrandfield",
                    "hrandfieldWithValues",
                    "zrandmember",
                    "zrandmemberWithScores",
                    "objectIdletime",
                    "memoryUsage",
                    "migrate",
                    "xadd",
                    "xinfoStreamFull",
                    "pttl",
                    "pexpireTime",
                    "expireTime",
                    "xinfoConsumers",
                    "xinfoConsumers2",
                    "randomKey",
                    "randomBinaryKey",
                    "scan");

    /*
     * Blocking commands, commands about one node or a search index, and those with
     * an invalid cursor.
     */
    private static final String REFUSED_BY_BOTH =
            """
            eval evalsha ftAggregate ftAliasAdd ftAliasDel ftAliasList ftAliasUpdate ftAlter
            ftConfigGet ftConfigSet ftCreate ftDictAdd ftDictAddBySampleKey ftDictDel
            ftDictDelBySampleKey ftDictDump ftDictDumpBySampleKey ftDropIndex ftDropIndexDD
            ftExplain ftExplainCLI ftInfo ftSearch ftSpellCheck ftSynDump ftSynUpdate
            ftTagVals functionStats hotkeysGet hotkeysReset hotkeysStop scan tsQueryLabelValues
            tsQueryLabels
            """;

    private static Nodes nodes;
    private static RedisServer alone;
    private static OneHopClient redis;
    private static RedisClient plain;
    private static int values;

    @BeforeAll
    static void start() {
        nodes = Nodes.start(4);
        alone = RedisServer.start();
        redis = nodes.client("hash_tag: \"{}\"");
        plain =
                RedisClient.builder()
                        .hostAndPort(new HostAndPort("127.0.0.1", alone.port()))
                        .clientConfig(DefaultJedisClientConfig.builder().resp2().build())
                        .build();
    }

    @AfterAll
    static void stop() {
        redis.close();
        plain.close();
        nodes.close();
        alone.close();
    }

    /** The result of a call, as text. */
    private static String outcome(Object target, Method method, Object[] arguments) {
        try {
            Object value = method.invoke(target, arguments);
            return "value "
                    + Samples.shown(
                            value instanceof Response<?> response
                                    ? synced(target, response)
                                    : value);
        } catch (InvocationTargetException failure) {
            Throwable thrown = failure.getCause();
            return thrown instanceof Unsupported
                    ? "Unsupported"
                    : "throws " + thrown.getClass().getSimpleName() + ": " + thrown.getMessage();
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        } catch (RuntimeException thrown) {
            return "throws " + thrown.getClass().getSimpleName() + ": " + thrown.getMessage();
        }
    }

    /** The same, on the client itself or on a pipeline. */
    private static String outcome(
            UnifiedJedis client, Class<?> type, Method method, Object[] arguments) {
        if (type == UnifiedJedis.class) {
            return outcome(client, method, arguments);
        }
        try (AbstractPipeline pipeline = client.pipelined()) {
            return outcome(pipeline, method, arguments);
        }
    }

    private static Object synced(Object pipeline, Response<?> response) {
        ((AbstractPipeline) pipeline).sync();
        return response.get();
    }

    private static void seed(String kind) {
        nodes.flush();
        try (Jedis node = nodes.jedis(redis.topology().locate(Samples.names(kind).get(0)).name());
                Jedis other = alone.jedis()) {
            other.flushAll();
            Samples.seed(node, kind);
            Samples.seed(other, kind);
        }
    }

    private static List<Method> methods(Class<?> type) {
        return Arrays.stream(type.getMethods())
                .filter(
                        method ->
                                !Modifier.isStatic(method.getModifiers())
                                        && method.getDeclaringClass() != Object.class
                                        && !method.isBridge())
                .filter(
                        method ->
                                !Set.of(
                                                "close",
                                                "pipelined",
                                                "sync",
                                                "getCache",
                                                "setKeyArgumentPreProcessor",
                                                "setJsonObjectMapper",
                                                "setDefaultSearchDialect",
                                                "executeCommand",
                                                "info",
                                                "multi",
                                                "transaction",
                                                // Its Object is here a map from node to reply.
                                                "functionStatsBinary")
                                        .contains(method.getName()))
                .sorted(Comparator.comparing(Method::toString))
                .toList();
    }

    /**
     * Differences by method. The sets receive the methods that were compared, refused, or not
     * callable.
     */
    private static Map<String, String> compare(
            Class<?> type, Set<String> same, Set<String> refused, Set<String> skipped) {
        Map<String, String> differences = new TreeMap<>();
        values = 0;
        for (Method method : methods(type)) {
            String kind = Samples.kind(method.getName());
            try {
                Object[] arguments = Samples.arguments(method, kind);
                seed(kind);
                String ours = outcome(redis, type, method, arguments);
                if (ours.equals("Unsupported")) {
                    refused.add(method.getName());
                    continue;
                }
                String theirs = outcome(plain, type, method, arguments);
                values += theirs.startsWith("value") ? 1 : 0;
                if (ours.equals(theirs)
                        || BY_CHANCE.contains(method.getName())
                                && ours.startsWith("value")
                                && theirs.startsWith("value")) {
                    same.add(method.toString());
                } else {
                    differences.put(
                            method.toString(),
                            "\n  ours:   " + ours + "\n  theirs: " + theirs + "\n");
                }
            } catch (Samples.NoSample none) {
                skipped.add(method.getName() + " " + none.getMessage());
            }
        }
        return differences;
    }

    /** Methods that are refused, while their overloads with a key or a sample key are not. */
    private static final Set<String> REFUSED_WITHOUT_KEY = Set.of("eval", "evalsha");

    private static void assertRefused(String expected, Set<String> refused, Set<String> same) {
        assertEquals(new TreeSet<>(List.of(expected.trim().split("\\s+"))), refused);
        for (String name : refused) {
            boolean hasNamesake =
                    same.stream().anyMatch(method -> method.contains("." + name + "("));
            assertTrue(hasNamesake || !REFUSED_WITHOUT_KEY.contains(name), name);
        }
    }

    @Test
    void everyMethodWithAKeyAnswersAsPlainJedisDoes() {
        Set<String> same = new TreeSet<>();
        Set<String> refused = new TreeSet<>();
        Set<String> skipped = new TreeSet<>();
        Map<String, String> differences = compare(UnifiedJedis.class, same, refused, skipped);
        assertEquals(Map.of(), differences);
        assertTrue(same.size() > 900, "compared: " + same.size());
        assertTrue(values > 400, "with a value: " + values);
        assertRefused(
                REFUSED_BY_BOTH
                        + """
                        ftAggregateIteration ftCursorDel ftCursorRead ftList \
                        ftProfileAggregate ftProfileSearch ftSearchIteration\
                        """,
                refused,
                same);
        String uncallable = "(ft|himportSet|hsetObject|p?subscribe|send|tsMAdd).*";
        assertEquals(
                List.of(), skipped.stream().filter(name -> !name.matches(uncallable)).toList());
    }

    @Test
    void everyMethodOfAPipelineAnswersAsPlainJedisDoes() {
        Set<String> same = new TreeSet<>();
        Set<String> refused = new TreeSet<>();
        Set<String> skipped = new TreeSet<>();
        Map<String, String> differences = compare(AbstractPipeline.class, same, refused, skipped);
        assertEquals(Map.of(), differences);
        assertTrue(same.size() > 900, "compared: " + same.size());
        assertTrue(values > 400, "with a value: " + values);
        assertRefused(REFUSED_BY_BOTH, refused, same);
        assertEquals(
                List.of(),
                skipped.stream()
                        .filter(name -> !name.matches("(ft|himportSet|send|tsMAdd).*"))
                        .toList());
    }
}
