package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.Role;
import io.onehop.core.Topology;
import io.onehop.jedis.lab.RedisCluster;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** Real servers that return a map of 1,000 nodes. */
class LargeClusterTest {

    private static final String[] KEYS = keys();

    /** A key of every slot. */
    private static String[] keys() {
        String[] keys = new String[16384];
        for (int i = 0, found = 0; found < keys.length; i++) {
            int slot = RedisCluster.slot("key:" + i);
            found += keys[slot] == null ? 1 : 0;
            keys[slot] = "key:" + i;
        }
        return keys;
    }

    @ParameterizedTest(name = "{0} masters, {1} replicas of each, slots dealt round: {2}")
    @CsvSource({"1000, 0, false", "1000, 0, true", "500, 1, true"})
    void aMapOfAThousandNodesIsAdoptedAndServed(int masters, int replicas, boolean isDealt)
            throws IOException {
        IntUnaryOperator owner =
                slot -> isDealt ? slot % masters : ((slot + 1) * masters - 1) / 16384;
        try (RedisCluster cluster = RedisCluster.startLarge(masters, replicas, isDealt);
                OneHopClient client = cluster.client()) {
            Topology topology = client.topology();
            assertEquals(1000, topology.nodes().size());
            assertEquals(
                    masters,
                    topology.nodes().stream().filter(node -> node.role() == Role.MASTER).count());
            List<String> pairs = new ArrayList<>();
            List<String> here = new ArrayList<>();
            for (int slot = 0; slot < KEYS.length; slot++) {
                assertEquals(
                        cluster.name(owner.applyAsInt(slot)), topology.locate(KEYS[slot]).name());
                if (owner.applyAsInt(slot) < 3) {
                    here.add(KEYS[slot]);
                    pairs.addAll(List.of(KEYS[slot], "value"));
                }
            }
            assertEquals("OK", client.mset(pairs.toArray(new String[0])));
            assertTrue(client.mget(here.toArray(new String[0])).stream().allMatch("value"::equals));
            String lost = KEYS[16384 - 1];
            NodeDown down = assertThrows(NodeDown.class, () -> client.get(lost));
            assertSays(cluster.name(owner.applyAsInt(16384 - 1)), down);
            assertEquals("value", client.get(here.get(0)));
        }
    }
}
