package io.onehop.jedis.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.onehop.core.Node;
import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Runs the examples of docs/recipes.md, which are the methods of {@link Recipes}, on three empty
 * nodes.
 */
class RecipesTest {
    private Nodes nodes;
    private OneHopClient redis;

    @BeforeEach
    void start() {
        nodes = Nodes.start(3);
        redis = nodes.client("hash_tag: \"{}\"");
    }

    @AfterEach
    void stop() {
        redis.close();
        nodes.close();
    }

    @Test
    void aCartInOneTransaction() {
        Recipes.addToCart(redis, "7", "tea", 4);
        Recipes.addToCart(redis, "7", "tea", 4);

        assertEquals(Map.of("tea", "2"), redis.hgetAll("{cart:7}:products"));
        assertEquals("8", redis.get("{cart:7}:sum"));
    }

    @Test
    void aPageThatSurvivesADeadNode() {
        List<String> names = keyOfEach("");
        redis.mset(names.get(0), "tea", names.get(1), "milk", names.get(2), "sugar");
        stopTheNodeOf(names.get(1));

        assertEquals(
                List.of(Optional.of("tea"), Optional.empty(), Optional.of("sugar")),
                Recipes.productTexts(redis, names.toArray(String[]::new)));
    }

    @Test
    void aBatchOverAllNodesInTheCallersOrder() {
        List<String> ids = keyOfEach("user:");
        ids.forEach(id -> redis.hset("user:" + id, "id", id));

        assertEquals(
                List.of(Map.of("id", ids.get(2)), Map.of("id", ids.get(0)), Map.of()),
                Recipes.users(redis, List.of(ids.get(2), ids.get(0), "none")));
    }

    @Test
    void whatMayHaveExecuted() {
        List<String> pages = keyOfEach("visits:");
        assertEquals(Optional.of(true), Recipes.countVisit(redis, pages.get(0)));
        stopTheNodeOf("visits:" + pages.get(0));
        assertEquals(Optional.of(false), Recipes.countVisit(redis, pages.get(0)));

        // The node receives the command over an open connection, but never answers.
        assertEquals(Optional.of(true), Recipes.countVisit(redis, pages.get(1)));
        nodeOf("visits:" + pages.get(1)).freeze();
        assertEquals(Optional.empty(), Recipes.countVisit(redis, pages.get(1)));
    }

    @Test
    void scanningAllKeys() {
        Set<String> keys =
                IntStream.range(0, 300).mapToObj(i -> "user:" + i).collect(Collectors.toSet());
        keys.forEach(key -> redis.set(key, "value"));
        redis.set("other", "value");

        Set<String> found = new HashSet<>();
        Recipes.eachKey(redis, "user:*", found::add);
        assertEquals(keys, found);
    }

    /** Returns one name for each node. The prefix and the name together are a key on the node. */
    private List<String> keyOfEach(String before) {
        return redis.topology().nodes().stream()
                .map(
                        node ->
                                IntStream.iterate(0, i -> i + 1)
                                        .mapToObj(String::valueOf)
                                        .filter(name -> locate(before + name).equals(node))
                                        .findFirst()
                                        .orElseThrow())
                .toList();
    }

    private Node locate(String key) {
        return redis.topology().locate(key);
    }

    private RedisServer nodeOf(String key) {
        return nodes.servers().stream()
                .filter(server -> server.node().equals(locate(key).name()))
                .findFirst()
                .orElseThrow();
    }

    private void stopTheNodeOf(String key) {
        nodeOf(key).kill();
    }
}
