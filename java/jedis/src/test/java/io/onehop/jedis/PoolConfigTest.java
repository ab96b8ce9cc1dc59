package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.config.Config;
import io.onehop.core.topology.PoolTopology;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.connection.NodeConnection;
import io.onehop.jedis.internal.pool.Holder;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.lab.Log;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;

import org.apache.commons.pool2.impl.GenericObjectPool;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import redis.clients.jedis.ConnectionFactory;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.HostAndPort;

import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.management.Attribute;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** What a pool configuration of Apache Commons Pool changes, and the MBeans that it asks for. */
class PoolConfigTest {
    private static final String BASE = "org.apache.commons.pool2:type=GenericObjectPool,name=";
    private static final MBeanServer BEANS = ManagementFactory.getPlatformMBeanServer();
    private static RedisServer server;

    private final ConnectionPoolConfig config = new ConnectionPoolConfig();

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void end() {
        server.close();
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        assertEquals(Set.of(), BEANS.queryNames(name("pool-alpha-*"), null));
    }

    private static String text(String... directives) {
        return Nodes.configOf(Stream.of(server.server() + " a"), directives);
    }

    private OneHopClient client(String... directives) {
        return Nodes.clientOf(OneHopClient.builder().poolConfig(config), text(directives));
    }

    private static int sizeOf(OneHopClient redis) {
        return redis.status().nodes().get(0).poolSize();
    }

    private static Pool poolOf(OneHopClient redis) {
        return Inspected.pools(redis)[0];
    }

    private static NodeConnection lease(OneHopClient redis) {
        return poolOf(redis).lease(new Holder(), Deadline.in(60_000));
    }

    /** Leases so many connections at the same time, and gives them back. */
    private static void use(OneHopClient redis, int count) {
        List<NodeConnection> leased =
                IntStream.range(0, count).mapToObj(i -> lease(redis)).toList();
        leased.forEach(poolOf(redis)::returnObject);
    }

    /* ---- Settings ---- */

    @Test
    void poolSizeOfTheFileWinsOverMaxTotal() {
        config.setMaxTotal(3);
        try (OneHopClient redis = client();
                OneHopClient sized = client("pool_size: 5")) {
            assertEquals(3, sizeOf(redis));
            assertEquals(5, sizeOf(sized));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 65536})
    void aMaxTotalThatAPoolCannotHaveIsRefused(int maxTotal) {
        config.setMaxTotal(maxTotal);
        OneHopClient.Builder builder = OneHopClient.builder();
        String message =
                assertThrows(IllegalArgumentException.class, () -> builder.poolConfig(config))
                        .getMessage();
        assertEquals(
                "maxTotal of the pool configuration is "
                        + maxTotal
                        + ", but must be between 1 and 65535",
                message);
    }

    @Test
    void aCallWaitsForAConnectionNoLongerThanMaxWait() {
        config.setMaxWait(Duration.ofMillis(20));
        assertWaitsShortly();
        config.setMaxWait(Duration.ofMinutes(5));
        config.setBlockWhenExhausted(false);
        assertWaitsShortly();
    }

    private void assertWaitsShortly() {
        config.setMaxTotal(1);
        try (OneHopClient redis = client("timeout: 60000")) {
            NodeConnection only = lease(redis);
            long beganNs = System.nanoTime();
            assertThrows(PoolExhausted.class, () -> redis.get("key"));
            assertTrue(System.nanoTime() - beganNs < 30_000_000_000L, "not until the deadline");
            poolOf(redis).returnObject(only);
            redis.get("key");
        }
    }

    @Test
    void withoutAMaxWaitACallWaitsUntilItsDeadline() {
        config.setMaxTotal(1);
        try (OneHopClient redis = client("timeout: 100")) {
            NodeConnection only = lease(redis);
            assertThrows(PoolExhausted.class, () -> redis.get("key"));
            poolOf(redis).returnObject(only);
        }
    }

    @Test
    void noMoreThanMaxIdleConnectionsStayOpen() {
        config.setMaxIdle(2);
        try (OneHopClient redis = client()) {
            use(redis, 5);
            assertEquals(2, poolOf(redis).getNumIdle());
            use(redis, 1);
            assertEquals(2, poolOf(redis).getNumIdle());
        }
    }

    @Test
    void eachCheckOpensConnectionsUntilThereAreMinIdle() {
        config.setMinIdle(3);
        config.setTimeBetweenEvictionRuns(Duration.ofMillis(20));
        try (OneHopClient redis = client()) {
            assertTrue(Callers.holdsSoon(() -> poolOf(redis).getNumIdle() == 3));
            NodeConnection leased = lease(redis);
            assertTrue(Callers.holdsSoon(() -> poolOf(redis).getNumIdle() == 3));
            poolOf(redis).returnObject(leased);
        }
    }

    @Test
    void connectionsThatAreIdleForLongerThanAllowedAreClosed() {
        config.setMinEvictableIdleDuration(Duration.ofMillis(50));
        config.setTimeBetweenEvictionRuns(Duration.ofMillis(20));
        try (OneHopClient redis = client()) {
            use(redis, 3);
            assertTrue(Callers.holdsSoon(() -> poolOf(redis).getNumIdle() == 0));
        }
    }

    @Test
    void theLogNamesSettingsWithoutEffect() {
        String of = "info: the pool configuration of server pool alpha: ";
        config.setLifo(false);
        config.setSoftMinEvictableIdleDuration(Duration.ofSeconds(1));
        config.setEvictionPolicyClassName("com.acme.Policy");
        try (Log log = new Log();
                OneHopClient redis = client("timeout: 400", "pool_size: 5")) {
            assertEquals(
                    List.of(
                            of + "lifo has no effect",
                            of + "evictionPolicy has no effect",
                            of + "softMinEvictableIdleDuration has no effect",
                            of + "maxWait has no effect, because each call ends after 400 ms",
                            of + "maxTotal has no effect, because pool_size is 5"),
                    log.taken());
            assertEquals(5, sizeOf(redis));
        }
    }

    /* ---- MBeans ---- */

    /** The name of an MBean, or with an asterisk a pattern for the names of several. */
    private static ObjectName name(String last) throws Exception {
        return new ObjectName(BASE + '"' + last + '"');
    }

    private static long number(String attribute) {
        try {
            return ((Number) BEANS.getAttribute(name("pool-alpha-a"), attribute)).longValue();
        } catch (Exception impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static void assertNumbers(Map<String, Integer> expected) {
        expected.forEach((name, number) -> assertEquals(number.longValue(), number(name), name));
    }

    @Test
    void anMBeanCountsTheConnectionsOfItsNode() throws Exception {
        config.setMaxTotal(2);
        try (OneHopClient redis = client("timeout: 60000")) {
            NodeConnection first = lease(redis);
            NodeConnection second = lease(redis);
            Thread waiting = new Thread(() -> redis.get("key"));
            waiting.start();
            assertTrue(Callers.holdsSoon(() -> number("NumWaiters") == 1));
            assertNumbers(Map.of("NumActive", 2, "NumIdle", 0, "ReturnedCount", 0));
            poolOf(redis).returnObject(first);
            waiting.join(30_000);
            assertNumbers(Map.of("NumWaiters", 0, "NumActive", 1, "NumIdle", 1));
            assertTrue(number("MaxBorrowWaitTimeMillis") >= number("MeanBorrowWaitTimeMillis"));
            second.disconnect();
            poolOf(redis).returnObject(second);
            assertNumbers(Map.of("BorrowedCount", 3, "ReturnedCount", 3));
            assertNumbers(Map.of("CreatedCount", 2, "DestroyedCount", 1));
            poolOf(redis).clear();
            assertNumbers(Map.of("DestroyedByEvictorCount", 1, "DestroyedCount", 2));
        }
    }

    @Test
    void anMBeanCountsAConnectionThatItsNodeHasClosed() {
        try (OneHopClient redis = client()) {
            use(redis, 1);
            server.killClients();
            redis.get("key");
            assertNumbers(Map.of("DestroyedByBorrowValidationCount", 1, "DestroyedCount", 1));
        }
    }

    /**
     * Names and types are the same, so programs that read the MBean of a GenericObjectPool can read
     * OneHop's.
     */
    @Test
    void anMBeanHasTheAttributesOfAGenericObjectPool() throws Exception {
        try (GenericObjectPool<?> theirs =
                        new GenericObjectPool<>(new ConnectionFactory(new HostAndPort("", 1)));
                OneHopClient redis = client("pool_size: 9")) {
            redis.get("key");
            Map<String, String> expected = typesOf(theirs.getJmxName());
            assertEquals(expected, typesOf(name("pool-alpha-a")));
            String[] names = expected.keySet().toArray(String[]::new);
            Map<String, Object> values = new TreeMap<>();
            for (Attribute each : BEANS.getAttributes(name("pool-alpha-a"), names).asList()) {
                values.put(each.getName(), each.getValue());
            }
            assertEquals(expected.keySet(), values.keySet(), "each attribute has a value");
            assertEquals(true, values.get("Fairness"));
            assertEquals(false, values.get("Closed"));
            assertNumbers(Map.of("MaxTotal", 9, "MaxIdle", 9, "MaxWaitMillis", -1));
            assertNumbers(
                    Map.of(
                            "TimeBetweenEvictionRunsMillis",
                            30_000,
                            "MinEvictableIdleTimeMillis",
                            60_000));
        }
    }

    private static Map<String, String> typesOf(ObjectName name) throws Exception {
        Map<String, String> types = new TreeMap<>();
        Stream.of(BEANS.getMBeanInfo(name).getAttributes())
                .forEach(each -> types.put(each.getName(), each.getType()));
        return types;
    }

    @Test
    void eachNodeOfEachClientHasAnMBean() throws Exception {
        config.setJmxNameBase("com.acme:type=Redis,name=");
        config.setJmxNamePrefix("cache");
        ObjectName all = new ObjectName("com.acme:*");
        try (OneHopClient redis = client();
                OneHopClient same = client();
                OneHopClient plain = Nodes.clientOf(text())) {
            Stream.of(redis, same, plain).forEach(client -> client.get("key"));
            List<String> names = new ArrayList<>();
            BEANS.queryNames(all, null).forEach(each -> names.add(each.getKeyProperty("name")));
            assertEquals(Set.of("\"cache-alpha-a\"", "\"cache-alpha-a-2\""), Set.copyOf(names));
            assertEquals(2, names.size());
        }
        assertEquals(Set.of(), BEANS.queryNames(all, null));
        config.setJmxEnabled(false);
        try (OneHopClient redis = client()) {
            redis.get("key");
            assertEquals(Set.of(), BEANS.queryNames(all, null));
        }
    }

    @Test
    void aNodeWhoseMBeanNameIsRefusedHasNoMBeanButServes() {
        config.setJmxNameBase("nonsense");
        try (Log log = new Log();
                OneHopClient redis = client("timeout: 0", "pool_size: 8")) {
            redis.get("key");
            List<String> lines = log.taken();
            String of =
                    "warning: no MBean of node a (" + server.node() + ") of server pool alpha: ";
            assertTrue(lines.get(0).startsWith(of), lines.toString());
            assertEquals(1, lines.size(), lines.toString());
        }
    }

    @Test
    void aNodeKeepsTheNameOfItsMBeanWhenItsPoolIsReplaced() throws Exception {
        try (OneHopClient redis = client("pool_size: 4")) {
            redis.get("key");
            byte[] changed = text("pool_size: 6").getBytes(StandardCharsets.UTF_8);
            redis.snapshots().adopt(PoolTopology.of(Config.parse(changed).pool("alpha")));
            redis.get("key");
            assertNumbers(Map.of("MaxTotal", 6, "BorrowedCount", 2));
            assertFalse(BEANS.isRegistered(name("pool-alpha-a-2")));
        }
    }
}
