package io.onehop.spring;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisPipelineException;
import org.springframework.data.redis.connection.jedis.JedisConnection;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.ScanOptions;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.types.Expiration;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Spring's pipelines: replies as Spring's own connection returns them, in the caller's order. */
final class PipelineTest {

    @ParameterizedTest
    @EnumSource
    void repliesOfAllNodesInOrder(Fleet fleet) {
        StringRedisTemplate template = fleet.template();
        List<String> keys = IntStream.range(0, 500).mapToObj(i -> "piped:" + i).toList();
        List<Object> written =
                template.executePipelined(
                        (RedisCallback<Object>)
                                connection -> {
                                    keys.forEach(
                                            key ->
                                                    connection
                                                            .stringCommands()
                                                            .set(key.getBytes(), key.getBytes()));
                                    return null;
                                });
        assertEquals(Collections.nCopies(500, true), written);
        List<Object> read =
                template.executePipelined(
                        (RedisCallback<Object>)
                                connection -> {
                                    keys.forEach(
                                            key -> connection.stringCommands().get(key.getBytes()));
                                    return null;
                                });
        assertEquals(keys, read);
    }

    /** Makes the same calls in a pipeline of Spring's own connection and in one of OneHop's. */
    @ParameterizedTest
    @EnumSource
    void theSameRepliesAsSpringsOwn(Fleet fleet) {
        try (RedisConnection own = new JedisConnection(fleet.client());
                RedisConnection ours = fleet.factory().getConnection()) {
            fleet.template().delete(List.of("t", "l", "h", "z"));
            List<Object> expected = replies(own, PipelineTest::calls);
            fleet.template().delete(List.of("t", "l", "h", "z"));
            assertSame(expected, replies(ours, PipelineTest::calls));
        }
    }

    private static void calls(RedisConnection connection) {
        byte[] text = "t".getBytes();
        byte[] list = "l".getBytes();
        connection.stringCommands().set(text, "abc".getBytes());
        connection.stringCommands().setRange(text, "X".getBytes(), 1); // No reply.
        connection.stringCommands().get(text);
        connection.stringCommands().get("missing".getBytes());
        connection.stringCommands().mGet(text, "missing".getBytes());
        connection.keyCommands().exists(text);
        connection.keyCommands().exists(text, list);
        connection.keyCommands().expire(text, 100);
        connection.keyCommands().type(text);
        connection.listCommands().rPush(list, text, text);
        connection.listCommands().lTrim(list, 0, 0); // No reply.
        connection.listCommands().lRange(list, 0, -1);
        connection.hashCommands().hMSet("h".getBytes(), Map.of("f".getBytes(), text)); // No reply.
        connection.hashCommands().hGetAll("h".getBytes());
        connection.zSetCommands().zAdd("z".getBytes(), 1.5, text);
        connection.zSetCommands().zRangeWithScores("z".getBytes(), 0, -1);
        connection.zSetCommands().zScore("z".getBytes(), text);
        connection.stringCommands().getEx(text, Expiration.from(Duration.ofSeconds(9)));
        connection.execute("STRLEN", text);
    }

    private static List<Object> replies(
            RedisConnection connection, Consumer<RedisConnection> calls) {
        connection.openPipeline();
        assertTrue(connection.isPipelined());
        calls.accept(connection);
        List<Object> replies = connection.closePipeline();
        assertFalse(connection.isPipelined());
        return replies;
    }

    private static void assertSame(List<Object> expected, List<Object> found) {
        assertEquals(expected.size(), found.size());
        for (int i = 0; i < expected.size(); i++) {
            assertEquals(shown(expected.get(i)), shown(found.get(i)), "reply " + i);
        }
    }

    /** A reply as text, so that arrays of bytes can be compared. */
    private static String shown(Object reply) {
        if (reply instanceof byte[] bytes) {
            return new String(bytes);
        }
        if (reply instanceof List<?> list) {
            return list.stream().map(PipelineTest::shown).toList().toString();
        }
        if (reply instanceof Map<?, ?> map) {
            List<String> entries = new ArrayList<>();
            map.forEach((key, value) -> entries.add(shown(key) + "=" + shown(value)));
            return entries.toString();
        }
        return String.valueOf(reply);
    }

    @ParameterizedTest
    @EnumSource
    void anErrorDoesNotHideOtherReplies(Fleet fleet) {
        StringRedisTemplate template = fleet.template();
        template.opsForValue().set("wrong", "text");
        RedisPipelineException thrown =
                assertThrows(
                        RedisPipelineException.class,
                        () ->
                                template.executePipelined(
                                        (RedisCallback<Object>)
                                                connection -> {
                                                    byte[] key = "wrong".getBytes();
                                                    connection.stringCommands().get(key);
                                                    connection.listCommands().lPop(key);
                                                    connection.stringCommands().strLen(key);
                                                    return null;
                                                }));
        List<Object> replies = thrown.getPipelineResult();
        assertArrayEquals("text".getBytes(), (byte[]) replies.get(0));
        assertInstanceOf(InvalidDataAccessApiUsageException.class, replies.get(1));
        assertEquals(4L, replies.get(2));
    }

    @Test
    void whatCannotBeInAPipelineIsRefused() {
        try (RedisConnection connection = Fleet.RING.factory().getConnection()) {
            assertEquals(List.of(), connection.closePipeline());
            connection.openPipeline();
            connection.openPipeline(); // The same pipeline stays open.
            for (Runnable refused :
                    List.<Runnable>of(
                            connection::multi,
                            () -> connection.watch("key".getBytes()),
                            () -> connection.keyCommands().scan(ScanOptions.NONE),
                            () -> connection.subscribe((message, pattern) -> {}, "c".getBytes()),
                            () -> connection.stringCommands().get(null))) {
                assertThrows(IllegalArgumentOrUsage.class, () -> asOneClass(refused));
            }
            assertNull(connection.ping());
            assertNull(connection.echo("e".getBytes()));
            assertNull(connection.publish("nobody".getBytes(), "m".getBytes()));
            List<Object> replies = connection.closePipeline();
            assertEquals("PONG", replies.get(0));
            assertEquals(0L, replies.get(2));
            connection.multi();
            assertThrows(InvalidDataAccessApiUsageException.class, connection::openPipeline);
            connection.discard();
        }
    }

    private static final class IllegalArgumentOrUsage extends RuntimeException {
        private static final long serialVersionUID = 1;

        IllegalArgumentOrUsage(Throwable cause) {
            super(cause);
        }
    }

    private static void asOneClass(Runnable refused) {
        try {
            refused.run();
        } catch (IllegalArgumentException | InvalidDataAccessApiUsageException refusal) {
            throw new IllegalArgumentOrUsage(refusal);
        }
    }
}
