package io.onehop.core.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.sun.management.ThreadMXBean;

import io.onehop.core.Hash;
import io.onehop.core.Node;
import io.onehop.core.Spec;
import io.onehop.core.config.Config;
import io.onehop.core.config.ConfigException;
import io.onehop.core.hash.HashFunction;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Fingerprints against the vectors of spec/topology, and relations that hold for any topology. */
class TopologyTest {
    private static final int KEYS = 5000;

    static Set<Hash> nutcrackers() {
        return HashFunction.NAMES;
    }

    @Test
    void theFingerprintEqualsItsVector() {
        for (JsonObject test : Spec.tests("topology/vectors/topology.json", "FingerprintTest")) {
            PoolTopology topology = Spec.topology(test);
            assertEquals(
                    test.get("fingerprint").getAsString(), topology.fingerprint(), test.toString());
            assertEquals(
                    test.get("name").getAsString(),
                    ConnectionName.of(topology.pool()),
                    test.toString());
            List<JsonObject> servers = Spec.objects(test.getAsJsonArray("servers"));
            for (int i = 0; i < servers.size(); i++) {
                Node node = topology.nodes().get(i);
                assertEquals(servers.get(i).get("name").getAsString(), node.name());
                assertEquals(servers.get(i).get("address").getAsString(), node.address());
                assertEquals(servers.get(i).get("weight").getAsInt(), node.weight());
            }
        }
    }

    @Test
    void theShareOfMovedKeysEqualsItsVector() throws ConfigException {
        for (JsonObject test : Spec.tests("topology/vectors/topology.json", "MovedTest")) {
            PoolTopology before = topology(test.get("before").getAsString());
            PoolTopology after = topology(test.get("after").getAsString());
            assertEquals(test.get("moved").getAsInt(), before.moved(after), test.toString());
        }
    }

    private static PoolTopology topology(String config) throws ConfigException {
        return PoolTopology.of(Config.parse(config.getBytes(StandardCharsets.UTF_8)).pool("p"));
    }

    @Test
    void ejectionDoesNotChangeTheFingerprintAndADifferentServerDoes() {
        ServerPool pool = pool("ketama", "murmur", equalServers(5));
        assertEquals(
                PoolTopology.of(pool).fingerprint(),
                PoolTopology.of(pool, Set.of("node2")).fingerprint());
        PoolTopology smaller = PoolTopology.of(pool("ketama", "murmur", equalServers(4)));
        assertNotEquals(PoolTopology.of(pool).fingerprint(), smaller.fingerprint());
    }

    @ParameterizedTest
    @MethodSource("nutcrackers")
    void theOrderOfTheFileDoesNotMatter(Hash hash) {
        for (String distribution : List.of("ketama", "modula")) {
            List<String> servers = new ArrayList<>(weightedServers(9));
            PoolTopology topology = PoolTopology.of(pool(distribution, hash.label(), servers));
            Collections.shuffle(servers, new Random(4));
            PoolTopology shuffled = PoolTopology.of(pool(distribution, hash.label(), servers));
            assertEquals(topology.fingerprint(), shuffled.fingerprint());
            for (int i = 0; i < KEYS; i++) {
                assertEquals(topology.locate("key" + i).name(), shuffled.locate("key" + i).name());
            }
        }
    }

    /**
     * 8, 7 and 6 live nodes have 40 groups each, so the points of the other nodes stay the same.
     */
    @ParameterizedTest
    @MethodSource("nutcrackers")
    void ketamaMovesOnlyTheKeysOfAnEjectedNodeIfWeightsAreEqual(Hash hash) {
        ServerPool pool = pool("ketama", hash.label(), equalServers(8));
        PoolTopology whole = PoolTopology.of(pool);
        Set<String> ejected = Set.of("node3", "node5");
        PoolTopology rest = PoolTopology.of(pool, ejected);
        for (int i = 0; i < KEYS; i++) {
            String before = whole.locate("key" + i).name();
            String after = rest.locate("key" + i).name();
            assertTrue(!ejected.contains(after));
            assertTrue(ejected.contains(before) || before.equals(after), "key" + i);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ketama", "modula", "random"})
    void ejectedNodesKeepTheirIndexAndGetNoKey(String distribution) {
        PoolTopology topology =
                PoolTopology.of(
                        pool(distribution, "md5", weightedServers(6)), Set.of("node1", "node4"));
        assertEquals(6, topology.nodes().size());
        IntStream.range(0, 6).forEach(i -> assertEquals(i, topology.nodes().get(i).index()));
        Stream<String> used =
                IntStream.range(0, KEYS).mapToObj(i -> topology.locate("key" + i).name());
        assertEquals(Set.of("node0", "node2", "node3", "node5"), used.collect(Collectors.toSet()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ketama", "modula"})
    void whenAllNodesAreEjectedPlacementIsAsIfNoneWere(String distribution) {
        ServerPool pool = pool(distribution, "jenkins", weightedServers(5));
        PoolTopology all =
                PoolTopology.of(pool, Set.of("node0", "node1", "node2", "node3", "node4"));
        for (int i = 0; i < KEYS; i++) {
            assertEquals(PoolTopology.of(pool).locate("key" + i), all.locate("key" + i));
        }
    }

    @Test
    void aNameThatNoNodeHasCannotBeEjected() {
        ServerPool pool = pool("ketama", "md5", equalServers(3));
        assertThrows(
                IllegalArgumentException.class,
                () -> PoolTopology.of(pool, Set.of("node1", "nobody")));
    }

    @Test
    void keysOfOneHashTagAreOnOneNode() {
        String text =
                "p:\n"
                        + "  listen: h:1\n"
                        + "  hash_tag: \"{}\"\n"
                        + "  servers:\n"
                        + "  - a:1:1\n"
                        + "  - b:1:1\n"
                        + "  - c:1:1\n";
        PoolTopology topology = PoolTopology.of(Spec.config(text).pool("p"));
        for (int i = 0; i < KEYS; i++) {
            assertEquals(topology.locate("user" + i), topology.locate("x{user" + i + "}:" + i * 7));
        }
    }

    @Test
    void aWeightOfThreeGetsAboutThreeTimesTheKeys() {
        for (String distribution : List.of("ketama", "modula")) {
            PoolTopology topology =
                    PoolTopology.of(
                            pool(distribution, "murmur", List.of("h:1:1 one", "h:2:3 three")));
            Node three = topology.nodes().get(1);
            long heavy =
                    IntStream.range(0, 20000)
                            .filter(i -> topology.locate("key" + i).equals(three))
                            .count();
            assertTrue(heavy > 13500 && heavy < 16500, distribution + ": " + heavy);
        }
    }

    @Test
    void nodesCannotBeChanged() {
        PoolTopology topology = PoolTopology.of(pool("ketama", "md5", equalServers(3)));
        assertThrows(UnsupportedOperationException.class, () -> topology.nodes().remove(0));
    }

    @ParameterizedTest
    @MethodSource("nutcrackers")
    void locatingAKeyAllocatesNothing(Hash hash) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (String distribution : List.of("ketama", "modula", "random")) {
            PoolTopology topology =
                    PoolTopology.of(pool(distribution, hash.label(), equalServers(8)));
            byte[] key =
                    "user:{12345678901234567890}:profile:0123456789012345678901234567890"
                            .getBytes();
            locateOften(topology, key, 200_000);
            long before = threads.getCurrentThreadAllocatedBytes();
            locateOften(topology, key, 100_000);
            long bytes = threads.getCurrentThreadAllocatedBytes() - before;
            assertTrue(bytes < 100_000, distribution + ": " + bytes + " bytes for 100,000 keys");
        }
    }

    private static int locateOften(PoolTopology topology, byte[] key, int times) {
        int sum = 0;
        for (int i = 0; i < times; i++) {
            key[5] = (byte) i;
            sum += topology.locateIndex(key, i & 3, key.length - (i & 3));
        }
        return sum;
    }

    private static List<String> equalServers(int count) {
        return IntStream.range(0, count).mapToObj(i -> "10.0.0." + i + ":6379:1 node" + i).toList();
    }

    private static List<String> weightedServers(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "10.0.0." + i + ":6379:" + (i % 3 + 1) + " node" + i)
                .toList();
    }

    private static ServerPool pool(String distribution, String hash, List<String> servers) {
        return Spec.config(
                        "p:\n  listen: 127.0.0.1:22121\n  distribution: "
                                + distribution
                                + "\n  hash: "
                                + hash
                                + "\n  servers:\n  - "
                                + String.join("\n  - ", servers)
                                + "\n")
                .pool("p");
    }

    @Test
    void sharesAreThoseOfTheVectors() {
        for (JsonObject test : Spec.tests("meter/vectors/meter.json", "ShareTest")) {
            Set<String> dead = Set.copyOf(Spec.strings(test.getAsJsonArray("dead")));
            PoolTopology topology =
                    PoolTopology.of(Spec.config(test.get("config").getAsString()).pool("p"), dead);
            double[] shares = topology.shares();
            for (Node node : topology.nodes()) {
                assertEquals(
                        test.getAsJsonObject("shares").get(node.name()).getAsInt() / 65_536.0,
                        shares[node.index()],
                        test + ": " + node.name());
            }
        }
    }
}
