package io.onehop.spring;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.jedis.ConfigInvalid;
import io.onehop.jedis.CrossNode;
import io.onehop.jedis.DeadlineExceeded;
import io.onehop.jedis.NodeDown;
import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.PartialBatch;
import io.onehop.jedis.PoolExhausted;
import io.onehop.jedis.ProtocolViolation;
import io.onehop.jedis.Unsupported;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisPipelineException;
import org.springframework.data.redis.connection.jedis.JedisConnection;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.ScanOptions;
import org.springframework.data.redis.core.StringRedisTemplate;

import java.util.List;
import java.util.Map;

/** One of three nodes is dead, and Spring gets exceptions of its own classes. */
final class FailuresTest {
    private static final Nodes NODES = Nodes.start(3);
    private static OneHopClient client;
    private static StringRedisTemplate template;
    private static String lost; // A key of the dead node.
    private static String found; // A key of another node.

    @BeforeAll
    static void killOne() {
        client = NODES.client();
        template = new StringRedisTemplate(new OneHopConnectionFactory(client));
        RedisServer dead = NODES.servers().get(0);
        lost = Nodes.keyOn(client, dead.node());
        found = Nodes.keyOn(client, NODES.servers().get(1).node());
        dead.kill();
    }

    @AfterAll
    static void close() {
        client.close();
        NODES.close();
    }

    private static void isLost(Runnable call) {
        DataAccessException thrown = assertThrows(RedisConnectionFailureException.class, call::run);
        assertEquals(NodeDown.class, thrown.getCause().getClass());
    }

    @Test
    void itsKeysFailAndOthersDoNot() {
        isLost(() -> template.opsForValue().get(lost));
        template.opsForValue().set(found, "here");
        assertEquals("here", template.opsForValue().get(found));
    }

    @Test
    void cursorsAndTransactionsFailTheSameWay() {
        isLost(() -> template.opsForSet().scan(lost, ScanOptions.NONE).hasNext());
        isLost(() -> template.opsForHash().scan(lost, ScanOptions.NONE).hasNext());
        isLost(() -> template.opsForZSet().scan(lost, ScanOptions.NONE).hasNext());
        isLost(() -> template.scan(ScanOptions.NONE).forEachRemaining(key -> {}));
        try (RedisConnection connection = template.getConnectionFactory().getConnection()) {
            isLost(() -> connection.watch(lost.getBytes()));
        }
        try (RedisConnection connection = template.getConnectionFactory().getConnection()) {
            connection.multi();
            connection.stringCommands().set(lost.getBytes(), new byte[1]);
            isLost(connection::exec);
        }
    }

    @Test
    void someRepliesOfManyKeysAreMissing() {
        DataAccessException thrown =
                assertThrows(
                        RedisSystemException.class,
                        () -> template.opsForValue().multiGet(List.of(lost, found)));
        assertEquals(PartialBatch.class, thrown.getCause().getClass());
    }

    @Test
    void aPipelineHasTheRepliesOfTheOtherNodes() {
        template.opsForValue().set(found, "here");
        RedisPipelineException thrown =
                assertThrows(
                        RedisPipelineException.class,
                        () ->
                                template.executePipelined(
                                        (RedisCallback<Object>)
                                                connection -> {
                                                    for (String key : List.of(found, lost, found)) {
                                                        connection
                                                                .stringCommands()
                                                                .get(key.getBytes());
                                                    }
                                                    return null;
                                                }));
        assertEquals(RedisConnectionFailureException.class, thrown.getCause().getClass());
        List<Object> replies = thrown.getPipelineResult();
        assertEquals(3, replies.size());
        assertArrayEquals("here".getBytes(), (byte[]) replies.get(0));
        assertEquals(RedisConnectionFailureException.class, replies.get(1).getClass());
        assertArrayEquals("here".getBytes(), (byte[]) replies.get(2));
    }

    @Test
    void aPipelineWithoutAnyReplySaysSo() {
        try (RedisConnection connection = template.getConnectionFactory().getConnection()) {
            connection.openPipeline();
            connection.stringCommands().get(lost.getBytes());
            RedisPipelineException thrown =
                    assertThrows(RedisPipelineException.class, connection::closePipeline);
            assertEquals(1, thrown.getPipelineResult().size());
        }
    }

    @Test
    void eachKindHasItsClass() {
        NodeDown down = new NodeDown("down", "a", Outcome.NOT_SENT, null);
        Map<OneHopException, Class<? extends DataAccessException>> kinds =
                Map.of(
                        down,
                        RedisConnectionFailureException.class,
                        new PoolExhausted("busy", "a", Outcome.NOT_SENT, null),
                        RedisConnectionFailureException.class,
                        new DeadlineExceeded("late", "a", Outcome.MAYBE_EXECUTED, null),
                        QueryTimeoutException.class,
                        new PartialBatch("some", List.of(), Map.of("a", down)),
                        RedisSystemException.class,
                        new ProtocolViolation("odd", "a", Outcome.MAYBE_EXECUTED, null),
                        RedisSystemException.class,
                        new CrossNode("two"),
                        InvalidDataAccessApiUsageException.class,
                        new Unsupported("no"),
                        InvalidDataAccessApiUsageException.class,
                        new ConfigInvalid("bad", null),
                        InvalidDataAccessApiUsageException.class);
        OneHopConnectionFactory factory = new OneHopConnectionFactory(client);
        kinds.forEach(
                (thrown, expected) -> {
                    DataAccessException translated = factory.translateExceptionIfPossible(thrown);
                    assertSame(expected, translated.getClass());
                    assertSame(thrown, translated.getCause());
                });
        assertNull(factory.translateExceptionIfPossible(new IllegalStateException("not ours")));
    }

    /**
     * Shows why OneHop has a translation: Spring by itself blames the caller for such a failure.
     */
    @Test
    void springAloneCallsItAMistakeOfTheCaller() {
        try (RedisConnection plain = new JedisConnection(client)) {
            assertThrows(
                    InvalidDataAccessApiUsageException.class,
                    () -> plain.stringCommands().get(lost.getBytes()));
        }
    }
}
