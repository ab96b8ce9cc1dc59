package io.onehop.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.CrossNode;
import io.onehop.jedis.NodeDown;
import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.PartialBatch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.Response;
import redis.clients.jedis.params.SetParams;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** What a shop relies on: carts, pages, prices, limits and locks, on three nodes. */
class ShopTest {
    @RegisterExtension
    static final OneHopServers servers =
            OneHopServers.ring(3, "timeout: 30000", "hash_tag: \"{}\"");

    private final OneHopClient redis = servers.client();

    @Test
    void aCartChangesInOneTransaction() {
        try (AbstractTransaction both = redis.multi()) {
            both.hincrBy("{cart:7}:products", "tea", 2);
            both.incrBy("{cart:7}:sum", 900);
            both.exec();
        }
        assertEquals(Map.of("tea", "2"), redis.hgetAll("{cart:7}:products"));
        assertEquals("900", redis.get("{cart:7}:sum"));
    }

    @Test
    void aTransactionOverTwoNodesChangesNothing() {
        List<String> carts = onTwoNodes();
        try (AbstractTransaction both = redis.multi()) {
            both.incr(carts.get(0));
            assertThrows(CrossNode.class, () -> both.incr(carts.get(1)));
        }
        assertEquals(0, redis.exists(carts.toArray(String[]::new)));
    }

    @Test
    void aPageSurvivesADeadNode() {
        List<String> products = onTwoNodes();
        products.forEach(product -> redis.set(product, "text of " + product));
        servers.serverOf(products.get(0)).stop();

        PartialBatch failure =
                assertThrows(PartialBatch.class, () -> redis.mget(products.toArray(String[]::new)));

        assertTrue(failure.getReplies().get(0) instanceof NodeDown);
        assertEquals("text of " + products.get(1), failure.getReplies().get(1));
    }

    @Test
    void aThousandPricesComeInOneBatch() {
        List<Response<String>> prices = new ArrayList<>();
        try (AbstractPipeline batch = redis.pipelined()) {
            IntStream.range(0, 1000).forEach(i -> batch.hset("product:" + i, "price", "" + i));
            IntStream.range(0, 1000).forEach(i -> prices.add(batch.hget("product:" + i, "price")));
            batch.sync();
        }
        List<String> expected = IntStream.range(0, 1000).mapToObj(String::valueOf).toList();
        assertEquals(expected, prices.stream().map(Response::get).toList());
        servers.servers().forEach(ShopTest::hasSomeOfTheKeys);
    }

    private static void hasSomeOfTheKeys(TestServer server) {
        try (var jedis = server.jedis()) {
            assertTrue(jedis.dbSize() > 100, server.name() + " has " + jedis.dbSize());
        }
    }

    @Test
    void aCallerMaySearchThreeTimesAMinute() {
        assertTrue(IntStream.range(0, 3).allMatch(i -> maySearch("ada")));
        assertFalse(maySearch("ada"));
        assertTrue(maySearch("bob"));
        assertTrue(redis.ttl("searches:ada") > 0);
    }

    private boolean maySearch(String user) {
        String script =
                "local n = redis.call('INCR', KEYS[1])"
                        + " if n == 1 then redis.call('EXPIRE', KEYS[1], 60) end return n";
        return (Long) redis.eval(script, 1, "searches:" + user) <= 3;
    }

    @Test
    void oneProcessAtATimeSendsTheNewsletter() {
        SetParams lock = SetParams.setParams().nx().ex(60);
        assertEquals("OK", redis.set("lock:newsletter", "mine", lock));
        assertNull(redis.set("lock:newsletter", "another's", lock));
        assertEquals(0L, unlock("another's"));
        assertEquals(1L, unlock("mine"));
        assertEquals("OK", redis.set("lock:newsletter", "another's", lock));
    }

    private Object unlock(String token) {
        String script =
                "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1]) or 0";
        return redis.eval(script, 1, "lock:newsletter", token);
    }

    /** Two keys that different servers have. */
    private List<String> onTwoNodes() {
        TestServer first = servers.serverOf("product:0");
        return IntStream.iterate(1, i -> i + 1)
                .mapToObj(i -> "product:" + i)
                .filter(key -> servers.serverOf(key) != first)
                .limit(1)
                .map(key -> List.of("product:0", key))
                .findFirst()
                .orElseThrow();
    }
}
