package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.RedisCluster;

import org.junit.jupiter.api.Test;

import redis.clients.jedis.Jedis;

import java.util.stream.IntStream;

/** {@code read_from: lowest_latency} with a master and its replica, one of them slow. */
class FastestReaderTest {
    private static final int READS = 80;

    private static long reads(RedisCluster cluster, int server) {
        return cluster.server(server).calls("get");
    }

    /**
     * Reads while one server delays each answer by 8 ms. Of the second half of the reads, returns
     * the part that this server has answered.
     */
    private static double partOfTheSlow(RedisCluster cluster, OneHopClient client, int slow) {
        long before = 0;
        try (Jedis jedis = cluster.server(slow).jedis()) {
            for (int i = 0; i < READS; i++) {
                if (i == READS / 2) {
                    before = reads(cluster, slow);
                }
                jedis.clientPause(8);
                assertEquals("value", client.get("key"));
            }
        }
        return (reads(cluster, slow) - before) / (READS / 2.0);
    }

    @Test
    void readsAvoidASlowNodeAndReturnWhenTheNodeIsFastAgain() {
        try (RedisCluster cluster = RedisCluster.start(1, true);
                OneHopClient client = cluster.client("read_from: lowest_latency")) {
            client.set("key", "value");
            cluster.awaitWrites(1);
            for (int slow : new int[] {0, 1, 0}) {
                RedisCluster.await(
                        "reads leave the slow node",
                        () -> partOfTheSlow(cluster, client, slow) < 0.1);
                long before = reads(cluster, slow);
                IntStream.range(0, 200).forEach(i -> client.get("key"));
                assertTrue(
                        reads(cluster, slow) > before, "the slow node is still asked now and then");
            }
            cluster.server(1).kill();
            IntStream.range(0, 100).forEach(i -> assertEquals("value", client.get("key")));
        }
    }
}
