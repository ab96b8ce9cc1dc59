package io.onehop.jedis.internal.nodes;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.onehop.core.config.Config;
import io.onehop.core.config.ConfigException;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.pool.PoolSettings;
import io.onehop.jedis.internal.tls.ClientTls;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.WatchedMasters;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** The client learns of a failover by what real Sentinels announce, without asking them. */
class SentinelNewsTest {
    private final Semaphore news = new Semaphore(0);

    private SentinelNews listenTo(WatchedMasters masters) throws ConfigException {
        ServerPool theirs =
                Config.parse(masters.config().getBytes(UTF_8)).pool("alpha").ofSentinels();
        List<Pool> sentinels =
                PoolTopology.of(theirs).nodes().stream()
                        .map(
                                node ->
                                        new Pool(
                                                node,
                                                theirs,
                                                new ClientTls(null, null),
                                                PoolSettings.STANDARD,
                                                null,
                                                null))
                        .toList();
        SentinelNews listener = new SentinelNews(sentinels, 5000, news::release);
        listener.listen();
        return listener;
    }

    private static void awaitListeners(WatchedMasters masters, List<Integer> counts) {
        RedisCluster.await(
                "clients that listen to each Sentinel: " + counts,
                () -> masters.listeners().equals(counts));
    }

    @Test
    void aFailoverIsHeardOfWithoutAskingTheSentinels() throws Exception {
        try (WatchedMasters masters = WatchedMasters.start(1)) {
            SentinelNews listener = listenTo(masters);
            awaitListeners(masters, List.of(1, 1, 1));
            RedisCluster.await("no news comes any more", this::isQuiet);
            masters.failOver(0);
            RedisCluster.await("there is news", () -> news.drainPermits() > 0);
            listener.close();
            awaitListeners(masters, List.of(0, 0, 0));
        }
    }

    @Test
    void aThreadThatHasEndedIsReplaced() {
        try (WatchedMasters masters = WatchedMasters.start(1);
                OneHopClient redis = Nodes.clientOf(masters.config())) {
            redis.get("key"); // Makes the client ask the Sentinels, and listen to them.
            awaitListeners(masters, List.of(1, 1, 1));
            List<Thread> first = threads();
            first.forEach(Thread::interrupt); // This ends the threads, as an Error would.
            RedisCluster.await(
                    "another thread listens",
                    () -> !threads().isEmpty() && !threads().contains(first.get(0)));
            awaitListeners(masters, List.of(1, 1, 1));
        }
    }

    private static List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("onehop-sentinel-news"))
                .toList();
    }

    private boolean isQuiet() {
        news.drainPermits();
        try {
            return !news.tryAcquire(300, TimeUnit.MILLISECONDS);
        } catch (InterruptedException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Test
    void aSentinelThatComesBackIsListenedToAgain() throws Exception {
        try (WatchedMasters masters = WatchedMasters.start(1)) {
            SentinelNews listener = listenTo(masters);
            awaitListeners(masters, List.of(1, 1, 1));
            masters.dropListeners();
            awaitListeners(masters, List.of(1, 1, 1));
            listener.close();
            awaitListeners(masters, List.of(0, 0, 0));
        }
    }
}
