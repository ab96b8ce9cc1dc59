package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.base.Timings;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisCluster;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Response;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

/** Redirects of real nodes that lead in a circle, come in thousands, or lead to dead nodes. */
class RedisClusterRedirectsTest {
    private RedisCluster cluster;
    private OneHopClient client;
    private OneHopClient hasty; // For calls that end at their deadline.

    @BeforeEach
    void start() {
        cluster = RedisCluster.start(3, false);
        client = cluster.client();
        hasty = cluster.client("timeout: 2000");
    }

    @AfterEach
    void stop() {
        client.close();
        hasty.close();
        cluster.close();
    }

    private long maps() {
        return IntStream.range(0, 3)
                .mapToLong(i -> cluster.server(i).calls("cluster|shards"))
                .sum();
    }

    /* ---- Redirects in a circle ---- */

    @Test
    void ifNodesRedirectToEachOtherTheFailureNamesThem() {
        String key = RedisCluster.tagIn(1);
        client.set(key, "1");
        client.del(key);
        String last = cluster.id(2);
        String middle = cluster.id(1);
        AtomicReference<OneHopException> met = new AtomicReference<>();
        RedisCluster.await(
                "the nodes redirect to each other",
                () -> { // Repeated until each node has learnt of the change.
                    try (Jedis one = cluster.server(1).jedis();
                            Jedis two = cluster.server(2).jedis();
                            Jedis first = cluster.server(0).jedis()) {
                        first.clusterSetSlotNode(1, middle);
                        one.clusterSetSlotNode(1, last);
                        two.clusterSetSlotNode(1, middle);
                        hasty.get(key);
                        return false;
                    } catch (OneHopException failure) { // A busy node may be late instead.
                        met.set(failure);
                        return failure.getMessage().contains("the nodes redirect it to each other");
                    }
                });
        String message = assertInstanceOf(NodeDown.class, met.get()).getMessage();
        assertTrue(
                message.contains(cluster.server(1).node())
                        && message.contains(cluster.server(2).node()),
                message);
        assertTrue(message.contains(" answered MOVED 1 "), message);
        assertEquals("OK", client.set(RedisCluster.tagIn(2), "others are not affected"));
    }

    /* ---- Thousands of redirects ---- */

    @Test
    void whileALargeSlotMigratesEachCommandTakesOneMoreHopAndTheMapIsNotAskedFor() {
        String tag = RedisCluster.tagIn(3);
        int count = 5000;
        try (AbstractPipeline batch = client.pipelined()) {
            IntStream.range(0, count).forEach(i -> batch.set(tag + i, "value of " + i));
        }
        cluster.beginToMove(3, 0, 2);
        cluster.moveKeys(3, 0, 2, count / 2);
        RedisCluster.await(
                "three rounds are quick", // A batch that waits for 500 ms asks for the map.
                () -> {
                    Processes.pause(Timings.REFRESH_EVERY_MS); // So that each try may ask for one.
                    long before = maps();
                    long longest = 0;
                    for (int round = 0; round < 3; round++) {
                        long begin = System.nanoTime();
                        requireAll(tag, count);
                        longest = Math.max(longest, System.nanoTime() - begin);
                    }
                    boolean isQuick = longest < 400_000_000;
                    assertTrue(!isQuick || maps() == before, "a map was asked for because of ASK");
                    return isQuick;
                });
        assertEquals(cluster.server(0).node(), client.topology().locate(tag).name());
    }

    private void requireAll(String tag, int count) {
        List<Response<String>> replies = new ArrayList<>();
        try (AbstractPipeline batch = client.pipelined()) {
            for (int i = 0; i < count; i++) {
                replies.add(batch.get(tag + i));
            }
        }
        for (int i = 0; i < count; i++) {
            assertEquals("value of " + i, replies.get(i).get());
        }
    }

    @Test
    void aCallForASlotWhoseMoveNeverEndsFailsInTime() {
        String tag = RedisCluster.tagIn(4);
        client.mset(tag + "1", "1", tag + "2", "2", tag + "3", "3");
        cluster.beginToMove(4, 0, 2);
        cluster.moveKeys(4, 0, 2, 1);
        RedisCluster.await(
                "the call fails between two tries",
                () -> {
                    long begun = System.nanoTime();
                    OneHopException failure =
                            assertThrows(
                                    OneHopException.class,
                                    () -> hasty.mget(tag + "1", tag + "2", tag + "3"));
                    assertTrue(System.nanoTime() - begun < 10_000_000_000L);
                    return failure.getMessage().contains("TRYAGAIN");
                });
        for (Pool pool : hasty.route().take().pools()) {
            assertEquals(0, pool.meter().redirects(), "TRYAGAIN is not a redirect");
        }
        assertEquals("2", client.get(tag + "2"));
    }

    /* ---- Nodes that die on the way ---- */

    @Test
    void aRedirectToADeadNodeFailsOneCommandOfThePipelineAndNamesTheNode() {
        String moved = RedisCluster.tagIn(5);
        String there = RedisCluster.tagIn(6);
        client.mset(moved, "1", there, "1");
        cluster.move(5, 0, 2);
        cluster.server(2).kill();
        AbstractPipeline batch = client.pipelined();
        Response<Long> lost = batch.incr(moved);
        Response<Long> kept = batch.incr(there);
        Response<Long> lostToo = batch.incr(moved);
        Response<Long> keptToo = batch.incr(there);
        PartialBatch partial = assertThrows(PartialBatch.class, batch::sync);
        assertEquals(
                List.of(cluster.server(2).node()), List.copyOf(partial.getFailures().keySet()));
        assertEquals(2L, kept.get());
        assertEquals(3L, keptToo.get());
        for (Response<Long> response : List.of(lost, lostToo)) {
            NodeDown down = assertThrows(NodeDown.class, response::get);
            assertFalse(down.mayHaveExecuted(), down.getMessage());
        }
        assertThrows(NodeDown.class, () -> client.get(moved));
        assertEquals("3", client.get(there));
    }

    @Test
    void aTransactionOnAMigratingSlotFailsAsAWholeAndIsNotRedirected() {
        String tag = RedisCluster.tagIn(7);
        client.mset(tag + "1", "1", tag + "2", "2");
        cluster.beginToMove(7, 0, 2);
        cluster.moveKeys(7, 0, 2, 1);
        try (AbstractTransaction transaction = client.multi()) {
            transaction.incr(tag + "1"); // One of the two keys has left the node.
            transaction.incr(tag + "2");
            assertThrows(RuntimeException.class, transaction::exec);
        }
        assertEquals("1", client.get(tag + "1"));
        assertEquals("2", client.get(tag + "2"));
        cluster.moveKeys(7, 0, 2, 10);
        cluster.endMove(7, 0, 2);
        assertThrows(
                RuntimeException.class,
                () -> {
                    // The client still has the old map.
                    try (AbstractTransaction transaction = client.multi()) {
                        transaction.incr(tag + "1");
                        transaction.exec();
                    }
                });
        try (AbstractTransaction transaction = client.multi()) {
            transaction.incr(tag + "1");
            assertEquals(List.of(2L), transaction.exec());
        }
    }

    /* ---- Waiting ---- */

    @Test
    void aBlockingCommandFollowsItsSlotToTheNewNode() throws Exception {
        String key = RedisCluster.tagIn(8) + "list";
        client.llen(key);
        FutureTask<List<String>> popped = Callers.begun(() -> hasty.blpop(30, key));
        RedisCluster.await("the call waits", () -> Callers.blocked(cluster.server(0)) == 1);
        Processes.pause(2000);
        cluster.move(8, 0, 2);
        RedisCluster.await(
                "the call waits at the new node", () -> Callers.blocked(cluster.server(2)) == 1);
        Processes.pause(2500); // More than what the timeout leaves after the first wait.
        client.rpush(key, "value");
        assertEquals(List.of(key, "value"), popped.get(30, TimeUnit.SECONDS));
    }
}
