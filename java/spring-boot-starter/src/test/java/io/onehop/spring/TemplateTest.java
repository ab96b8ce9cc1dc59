package io.onehop.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.CrossNode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.core.Cursor;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.RedisOperations;
import org.springframework.data.redis.core.ScanOptions;
import org.springframework.data.redis.core.SessionCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Spring's template on nodes that answer. */
final class TemplateTest {

    @ParameterizedTest
    @EnumSource
    void keysOfAllNodesInOneCall(Fleet fleet) {
        StringRedisTemplate template = fleet.template();
        Map<String, String> values =
                IntStream.range(0, 50)
                        .boxed()
                        .collect(Collectors.toMap(i -> "many:" + i, i -> "value " + i));
        List<String> keys = List.copyOf(values.keySet());
        template.opsForValue().multiSet(values);
        assertEquals(
                keys.stream().map(values::get).toList(), template.opsForValue().multiGet(keys));
        assertEquals(50, template.countExistingKeys(keys));
        assertEquals(Set.copyOf(keys), template.keys("many:*"));
        Set<String> seen = new TreeSet<>();
        try (Cursor<String> cursor =
                template.scan(ScanOptions.scanOptions().match("many:*").count(7).build())) {
            cursor.forEachRemaining(seen::add);
        }
        assertEquals(new TreeSet<>(keys), seen);
        assertEquals(50, template.delete(keys));
    }

    @ParameterizedTest
    @EnumSource
    void typesOfValues(Fleet fleet) {
        StringRedisTemplate template = fleet.template();
        template.opsForHash().putAll("types:hash", Map.of("name", "Ada"));
        assertEquals("Ada", template.opsForHash().get("types:hash", "name"));
        template.opsForList().rightPushAll("types:list", "a", "b");
        assertEquals("a", template.opsForList().leftPop("types:list", Duration.ofSeconds(9)));
        template.opsForSet().add("types:set", "x", "y");
        assertEquals(Set.of("x", "y"), template.opsForSet().members("types:set"));
        template.opsForZSet().add("types:sorted", "low", 1);
        assertEquals(1.0, template.opsForZSet().score("types:sorted", "low"));
        template.opsForStream().add("types:stream", Map.of("field", "value"));
        assertEquals(1, template.opsForStream().size("types:stream"));
        assertEquals(7, template.opsForValue().increment("types:count", 7));
    }

    @ParameterizedTest
    @EnumSource
    void aTransactionThatAnotherOneDisturbs(Fleet fleet) {
        StringRedisTemplate template = fleet.template();
        template.opsForValue().set("{stock}:count", "1");
        template.delete("{stock}:log");
        assertFalse(sell(template, () -> {}).isEmpty());
        assertEquals("0", template.opsForValue().get("{stock}:count"));
        assertTrue(
                sell(template, () -> template.opsForValue().set("{stock}:count", "5")).isEmpty());
        assertEquals(1, template.opsForList().size("{stock}:log"));
    }

    /** The results of EXEC; none if a watched key has changed. */
    private static List<Object> sell(StringRedisTemplate template, Runnable disturbance) {
        return template.execute(
                new SessionCallback<>() {
                    @Override
                    @SuppressWarnings("unchecked")
                    public <K, V> List<Object> execute(RedisOperations<K, V> any) {
                        RedisOperations<String, String> operations =
                                (RedisOperations<String, String>) any;
                        operations.watch("{stock}:count");
                        assertTrue(operations.opsForValue().get("{stock}:count") != null);
                        disturbance.run();
                        operations.multi();
                        operations.opsForValue().decrement("{stock}:count");
                        operations.opsForList().rightPush("{stock}:log", "sold");
                        List<Object> results = operations.exec();
                        return results == null ? List.of() : results;
                    }
                });
    }

    @ParameterizedTest
    @EnumSource
    void aWatchThatIsLeftEndsWithItsConnection(Fleet fleet) {
        fleet.template()
                .execute(
                        (RedisCallback<Object>)
                                connection -> {
                                    connection.watch("left".getBytes());
                                    return null;
                                });
        Fleet.await( // Containers of other tests may give connections back late.
                "nothing is leased",
                () ->
                        fleet.client().status().nodes().stream()
                                .allMatch(node -> node.leased() == 0));
    }

    @ParameterizedTest
    @EnumSource
    void aScriptIsLoadedOnAllNodes(Fleet fleet) {
        RedisScript<String> script = RedisScript.of("return ARGV[1]", String.class);
        try (RedisConnection connection = fleet.factory().getConnection()) {
            byte[] text = script.getScriptAsString().getBytes();
            assertEquals(script.getSha1(), connection.scriptingCommands().scriptLoad(text));
            assertEquals(
                    List.of(true), connection.scriptingCommands().scriptExists(script.getSha1()));
            connection.scriptingCommands().scriptFlush();
            assertEquals(
                    List.of(false), connection.scriptingCommands().scriptExists(script.getSha1()));
        }
        for (String key : fleet.apart("script:")) {
            assertEquals("x", fleet.template().execute(script, List.of(key), "x"));
        }
    }

    @Test
    void keysOfTwoNodesAreAMistakeOfTheCaller() {
        List<String> keys = Fleet.RING.apart("apart:");
        RedisScript<String> script = RedisScript.of("return KEYS[1]", String.class);
        DataAccessException thrown =
                assertThrows(
                        InvalidDataAccessApiUsageException.class,
                        () -> Fleet.RING.template().execute(script, keys));
        assertEquals(CrossNode.class, thrown.getCause().getClass());
    }

    @Test
    void theConnectionSaysWhatItIs() {
        OneHopConnectionFactory factory = Fleet.RING.factory();
        try (RedisConnection connection = factory.getConnection()) {
            assertSame(Fleet.RING.client(), connection.getNativeConnection());
            assertFalse(connection.isClosed());
            assertEquals("PONG", connection.ping());
            assertNull(factory.translateExceptionIfPossible(new IllegalStateException("x")));
        }
        for (Consumer<OneHopConnectionFactory> refused :
                List.<Consumer<OneHopConnectionFactory>>of(
                        OneHopConnectionFactory::getClusterConnection,
                        OneHopConnectionFactory::getSentinelConnection)) {
            assertThrows(InvalidDataAccessApiUsageException.class, () -> refused.accept(factory));
        }
    }
}
