package io.onehop.jedis.parity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.CrossNode;
import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.Unsupported;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.params.MigrateParams;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * OneHopClient can replace Jedis' own client. Every public method of UnifiedJedis and of its
 * pipelines is called on Jedis' client over one server and on OneHopClient over four, with keys of
 * every type, on one node and on several. Both return the same value, of the same types, or throw
 * the same exception. After a write the keys are the same, too.
 *
 * <p>Some differences are allowed: a refusal that the command table announces, {@link CrossNode} if
 * the table requires one node, and the few commands below, whose replies are different each time or
 * are about the server itself. The test fails if it cannot call a method that is not named here, so
 * it shows which methods of a newer Jedis are new.
 */
@Timeout(900) // Thousands of calls, for which a busy machine needs minutes.
class ParityTest {
    /** Methods that send no command or several commands. Other tests check them. */
    private static final Map<String, String> ELSEWHERE =
            Map.ofEntries(
                    Map.entry("close", "CloseTest"),
                    Map.entry("sync", "PipelineTest"),
                    Map.entry("pipelined", "PipelineTest"),
                    Map.entry("multi", "TransactionTest"),
                    Map.entry("transaction", "TransactionTest"),
                    Map.entry("subscribe", "SubscriptionTest"),
                    Map.entry("psubscribe", "SubscriptionTest"),
                    Map.entry("executeCommand", "all of them"),
                    Map.entry(
                            "migrate", "below: its first word is a host, which would be looked up"),
                    Map.entry("setKeyArgumentPreProcessor", "SplitCommandsTest"),
                    Map.entry("setJsonObjectMapper", "nothing is sent"),
                    Map.entry("getCache", "nothing is sent"),
                    Map.entry(
                            "ftHybrid",
                            "nothing is sent: an index has no key, as for every FT command, all"
                                    + " others of which are called"));

    /** Commands whose replies are compared only by their type, in groups: the key is the reason. */
    private static final Map<String, List<String>> NEVER_ALIKE =
            Map.of(
                    "random",
                    List.of("RANDOMKEY", "SPOP", "SRANDMEMBER", "HRANDFIELD", "ZRANDMEMBER"),
                    "the clock, or an id of it",
                    List.of("XADD", "TIME", "LASTSAVE", "OBJECT IDLETIME"),
                    "idle times of the clock",
                    List.of("DUMP", "XINFO", "XCLAIM", "XAUTOCLAIM", "XPENDING"),
                    "a name made for each call",
                    List.of("HIMPORT"),
                    "a cursor; what all of them bring is compared by scanIteration()",
                    List.of("SCAN"),
                    "the server itself",
                    List.of("INFO"));

    /** Commands about one node or a search index, and scripts without a key. */
    private static final String REFUSED_BY_BOTH =
            """
            eval evalsha ftAggregate ftAliasAdd ftAliasDel ftAliasList ftAliasUpdate ftAlter
            ftConfigGet ftConfigSet ftCreate ftDictAdd ftDictAddBySampleKey ftDictDel
            ftDictDelBySampleKey ftDictDump ftDictDumpBySampleKey ftDropIndex ftDropIndexDD
            ftExplain ftExplainCLI ftInfo ftSearch ftSpellCheck ftSynDump ftSynUpdate
            ftTagVals functionStats hotkeysGet hotkeysReset hotkeysStop tsQueryLabelValues
            tsQueryLabels
            """;

    private static RedisServer single;
    private static Nodes nodes;
    private static RedisClient one;
    private static OneHopClient four;
    private static Fixture ofOne;
    private static Fixture ofFour;
    private static Recorder recorder;

    private final List<String> differences = new ArrayList<>();
    private final Map<String, Integer> verdicts = new TreeMap<>();

    /** The names of methods that are refused with all arguments. */
    private final Set<String> refused = new TreeSet<>();

    private final Set<String> served = new TreeSet<>();

    @BeforeAll
    static void start() {
        single = RedisServer.start();
        nodes = Nodes.start(4);
        one =
                RedisClient.builder()
                        .hostAndPort("127.0.0.1", single.port())
                        .clientConfig(
                                DefaultJedisClientConfig.builder()
                                        .protocol(RedisProtocol.RESP2)
                                        .timeoutMillis(30_000)
                                        .build())
                        .build();
        four = nodes.client("hash_tag: \"{}\"");
        ofOne = new Fixture(single);
        ofFour = new Fixture(nodes.servers(), four.topology());
        recorder = new Recorder();
    }

    @AfterAll
    static void stop() {
        ofOne.close();
        ofFour.close();
        one.close();
        four.close();
        nodes.close();
        single.close();
    }

    private static List<Method> methods(Class<?> type) {
        return Arrays.stream(type.getMethods())
                .filter(method -> !method.isBridge() && !Modifier.isStatic(method.getModifiers()))
                .filter(method -> method.getDeclaringClass() != Object.class)
                .filter(method -> !ELSEWHERE.containsKey(method.getName()))
                .sorted(Comparator.comparing(Method::toGenericString))
                .toList();
    }

    @Test
    void everyMethodOfJedisDoesTheSameOnFourNodesAsOnOne() {
        compareAll(methods(UnifiedJedis.class), Integer.MAX_VALUE);
        assertTrue(verdicts.get("same") > 5000, verdicts.toString());
        assertRefused(
                REFUSED_BY_BOTH
                        + """
                        ftAggregateIteration ftCursorDel ftCursorRead ftList
                        ftProfileAggregate ftProfileSearch ftSearchIteration
                        """);
    }

    @Test
    void everyMethodOfAPipelineDoesTheSameOnFourNodesAsOnOne() {
        // Pipelines refuse these: each call of SCAN is one step, and HIMPORT needs a connection of
        // its own.
        Set<String> refusedHere = Set.of("scan", "himportSet");
        compareAll(
                methods(AbstractPipeline.class).stream()
                        .filter(method -> !refusedHere.contains(method.getName()))
                        .toList(),
                2);
        assertTrue(verdicts.get("same") > 1800, verdicts.toString());
        assertRefused(REFUSED_BY_BOTH);
    }

    private void assertRefused(String names) {
        assertEquals(new TreeSet<>(List.of(names.trim().split("\\s+"))), refused);
        assertTrue(served.containsAll(Set.of("eval", "evalsha")), "with a key or a sample key");
    }

    private void compareAll(List<Method> methods, int rows) {
        restore();
        for (Method method : methods) {
            Set<String> seen = compare(method, rows);
            if (seen.isEmpty()) {
                differences.add(method + " was never called");
            }
            if (seen.equals(Set.of("CrossNode"))) {
                differences.add(method + " was never called with keys of one node");
            }
            if (seen.equals(Set.of("refused"))) {
                refused.add(method.getName());
            } else {
                served.add(method.getName());
            }
        }
        assertEquals("", String.join("\n", differences));
        assertTrue(methods.size() > 1000, methods.size() + " methods");
    }

    @Test
    void aKeyMigratesFromItsNodeAsFromOneServer() {
        restore();
        try (RedisServer target = RedisServer.start()) {
            for (UnifiedJedis client : List.of(one, four)) {
                assertEquals(
                        "OK",
                        client.migrate(
                                "127.0.0.1",
                                target.port(),
                                10_000,
                                new MigrateParams().replace(),
                                "string"));
                assertEquals("NOKEY", client.migrate("127.0.0.1", target.port(), "string", 10_000));
                assertEquals(
                        "OK",
                        client.migrate(
                                "127.0.0.1",
                                target.port(),
                                10_000,
                                new MigrateParams().replace(),
                                "{t}set",
                                "{t}list"));
                assertEquals(0, client.exists("string", "{t}set", "{t}list"));
            }
        }
    }

    private static void restore() {
        ofOne.restore();
        ofFour.restore();
    }

    /* ---- One method ---- */

    /** Calls the method with the first rows of words that fit. */
    private Set<String> compare(Method method, int rows) {
        Set<String> seen = new TreeSet<>();
        try {
            Table table =
                    Table.of(
                            recorder.words(
                                    method,
                                    new Arguments(1, "{t}string", "1", "2", "3").of(method)));
            List<String[]> fitting = table.rows(method);
            for (String[] row : fitting.subList(0, Math.min(rows, fitting.size()))) {
                String verdict = compare(method, table.number(method), row);
                verdicts.merge(verdict, 1, Integer::sum);
                seen.add(verdict);
            }
        } catch (Arguments.Unmakeable unknown) {
            differences.add(
                    method
                            + " cannot be called: nothing is known to make a "
                            + unknown.getMessage()
                            + " from");
        }
        return seen;
    }

    private String compare(Method method, long number, String[] row) {
        Object[] arguments = new Arguments(number, row).of(method);
        List<String> words = recorder.words(method, arguments);
        Table table = Table.of(words);
        Outcome here = Outcome.of(one, method, new Arguments(number, row).of(method));
        Outcome there = Outcome.of(four, method, arguments);
        String verdict = verdict(table, words, here, there);
        if (verdict.equals("same") && !table.isRead()) {
            verdict = ofOne.keys().equals(ofFour.keys()) ? verdict : "different keys after it";
        }
        if (!table.isRead()) {
            restore();
        }
        if (verdict.startsWith("different")) {
            differences.add(
                    Outcome.shown(method, new Arguments(number, row).of(method))
                            + " "
                            + verdict
                            + "\n    one:  "
                            + cut(here.text())
                            + "\n    four: "
                            + cut(there.text()));
        }
        return verdict;
    }

    private static String cut(String text) {
        return text.length() < 400 ? text : text.substring(0, 400) + "...";
    }

    private static String verdict(Table table, List<String> words, Outcome here, Outcome there) {
        if (here.text().equals(there.text())) {
            return "same";
        }
        if (there.thrown() instanceof Unsupported && table.mayBeRefused()) {
            return "refused";
        }
        if (there.thrown() instanceof CrossNode && table.spread().equals("one_node")) {
            return "CrossNode";
        }
        boolean isMalformed =
                there.text().contains("; it is malformed: ")
                        || there.text().contains("The cursor belongs to another topology");
        if (isMalformed
                && there.thrown() instanceof Unsupported
                && here.thrown() instanceof JedisDataException) {
            return "malformed";
        }
        if (table.merge().equals("per_node")
                && there.text().startsWith("map{")
                && there.text().contains(here.text())) {
            return "by node";
        }
        String line = String.join(" ", words) + " ";
        boolean isNeverAlike =
                NEVER_ALIKE.values().stream()
                        .flatMap(List::stream)
                        .anyMatch(command -> line.startsWith(command + " "));
        return isNeverAlike && here.type().equals(there.type()) ? "alike" : "different";
    }
}
