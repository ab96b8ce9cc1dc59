package io.onehop.jedis;

import static io.onehop.jedis.Inspected.assertNothingLeased;
import static io.onehop.jedis.lab.Said.assertBegins;
import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisDataException;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/**
 * A transaction is on one node, is executed as a whole or not at all, and no part of it is sent
 * twice.
 */
class TransactionTest {
    @RegisterExtension static final SharedNodes SHARED = SharedNodes.start(2, "hash_tag: \"{}\"");

    private static final Nodes nodes = SHARED.nodes();
    private static final OneHopClient redis = SHARED.client();
    private static final String here = Nodes.keyOn(redis, nodes.servers().get(0).node());
    private static final String there = Nodes.keyOn(redis, nodes.servers().get(1).node());

    /* ---- EXEC, DISCARD ---- */

    @Test
    void commandsAreExecutedTogetherAndEveryResponseHasItsValue() {
        for (RedisServer server : nodes.servers()) {
            String key = Nodes.keyOn(redis, server.node());
            try (AbstractTransaction transaction = redis.multi()) {
                Response<String> set = transaction.set(key, "1");
                Response<Long> counted = transaction.incr(key);
                Response<List<String>> several = transaction.mget(key, key);
                assertThrows(IllegalStateException.class, counted::get);
                assertNothingLeased(redis);
                assertEquals(List.of("OK", 2L, List.of("2", "2")), transaction.exec());
                assertEquals("OK", set.get());
                assertEquals(2, counted.get());
                assertEquals(List.of("2", "2"), several.get());
            }
            assertEquals("2", server.ask(jedis -> jedis.get(key)));
        }
    }

    @Test
    void anEmptyTransactionSendsNothing() {
        try (ScriptedNode node = ScriptedNode.start(ScriptedNode.Talk::awaitClose);
                OneHopClient client = node.client()) {
            assertEquals(List.of(), client.multi().exec());
            assertEquals("OK", client.multi().discard());
            client.multi().close();
            AbstractTransaction discarded = client.multi();
            discarded.set("key", "value");
            discarded.discard();
            AbstractTransaction closed = client.multi();
            closed.set("key", "value");
            closed.close();
            assertEquals(0, node.connections());
        }
    }

    @Test
    void oneTransactionAfterAnotherMayUseTheSameObjectOnAnotherNode() {
        AbstractTransaction transaction = redis.transaction(false);
        for (String key : List.of(here, there, here)) {
            transaction.multi();
            transaction.incr(key);
            transaction.exec();
        }
        assertEquals("2", redis.get(here));
        assertEquals("1", redis.get(there));
    }

    @Test
    void anErrorAtRunTimeIsAnElementAndTheRestIsExecuted() {
        AbstractTransaction transaction = redis.multi();
        transaction.set(here, "text");
        Response<Long> wrong = transaction.incr(here);
        Response<String> after = transaction.get(here);
        List<Object> replies = transaction.exec();
        assertInstanceOf(JedisDataException.class, replies.get(1));
        assertThrows(JedisDataException.class, wrong::get);
        assertEquals("text", after.get());
    }

    @Test
    void ifACommandIsRefusedWhenQueuedNothingIsExecutedAndItsErrorIsAttached() {
        AbstractTransaction transaction = redis.multi();
        Response<String> set = transaction.set(here, "value");
        Response<Long> wrong = transaction.hset(here, Map.of());
        JedisDataException aborted = assertThrows(JedisDataException.class, transaction::exec);
        assertBegins("EXECABORT", aborted);
        assertTrue(aborted.getSuppressed()[0].getMessage().contains("wrong number of arguments"));
        assertThrows(JedisDataException.class, set::get);
        assertSays("wrong number", assertThrows(JedisDataException.class, wrong::get));
        assertFalse(redis.exists(here));
    }

    @Test
    void twentyThousandCommandsAreOneTransaction() {
        AbstractTransaction transaction = redis.multi();
        for (int i = 0; i < 20_000; i++) {
            transaction.incr(here);
        }
        assertEquals(20_000L, transaction.exec().get(19_999));
    }

    @Test
    void queuedCommandsDoNotChangeWithTheCallersArrays() {
        byte[] key = here.getBytes();
        byte[] value = {'o', 'n', 'e'};
        AbstractTransaction transaction = redis.multi();
        transaction.set(key, value);
        key[0] = 'x';
        value[0] = 'x';
        assertEquals(List.of("OK"), transaction.exec());
        assertEquals("one", redis.get(here));
    }

    @Test
    void nothingIsExecutedIfTheUserMayNotSendMulti() {
        for (boolean isWatched : new boolean[] {false, true}) {
            try (Jedis jedis = nodes.servers().get(0).jedis()) {
                jedis.aclSetUser("default", "-multi");
                AbstractTransaction transaction = redis.transaction(false);
                if (isWatched) {
                    transaction.watch(here);
                }
                transaction.multi();
                Response<String> set = transaction.set(here, "value");
                JedisDataException refused =
                        assertThrows(JedisDataException.class, transaction::exec);
                assertBegins("NOPERM", refused);
                assertSame(
                        refused.getMessage(),
                        assertThrows(JedisDataException.class, set::get).getMessage());
                assertNull(redis.get(here));
            } finally {
                nodes.servers().get(0).ask(jedis -> jedis.aclSetUser("default", "+multi"));
            }
        }
    }

    /* ---- One node ---- */

    @Test
    void aRefusalEndsTheTransactionAndNothingOfItIsExecuted() {
        for (boolean isWatching : new boolean[] {false, true}) {
            AbstractTransaction transaction = redis.transaction(false);
            if (isWatching) {
                transaction.watch(here);
            }
            transaction.multi();
            Response<String> before = transaction.set(here, "1");
            CrossNode refused = assertThrows(CrossNode.class, () -> transaction.set(there, "2"));
            assertBegins("The transaction is bound to node ", refused);
            CrossNode again = assertThrows(CrossNode.class, () -> transaction.set(here, "3"));
            String discarded =
                    "The transaction was discarded because one of its calls was refused: "
                            + refused.getMessage();
            assertEquals(discarded, again.getMessage());
            assertFalse(again.mayHaveExecuted());
            assertEquals(discarded, assertThrows(CrossNode.class, transaction::exec).getMessage());
            assertEquals(discarded, assertThrows(CrossNode.class, before::get).getMessage());
            assertNull(redis.get(here));
            assertNull(redis.get(there));
            Inspected.assertNothingLeased(redis);
            transaction.multi(); // The first transaction is over, so this begins another one.
            transaction.set(here, "4");
            assertEquals(List.of("OK"), transaction.exec());
            assertEquals("4", redis.get(here));
            redis.del(here);
        }
    }

    @Test
    void callsThatFailBeforeACommandIsMadeDoNotSpoilTheTransaction() {
        AbstractTransaction transaction = redis.multi();
        transaction.set(here, "1");
        assertThrows(IllegalArgumentException.class, () -> transaction.set(here, (String) null));
        assertThrows(IllegalStateException.class, () -> transaction.watch(here));
        assertEquals(List.of("OK"), transaction.exec());
    }

    @Test
    void aKeyOfAnotherNodeIsNotWatched() {
        try (AbstractTransaction transaction = redis.transaction(false)) {
            assertThrows(CrossNode.class, () -> transaction.watch(here, there));
            assertEquals("OK", transaction.watch(here));
            assertThrows(CrossNode.class, () -> transaction.watch(there));
            transaction.multi();
            transaction.set(here, "1");
            assertEquals(List.of("OK"), transaction.exec());
        }
    }

    @Test
    void commandsWithoutANodeAndCommandsThatChangeTheConnectionAreRefused() {
        AbstractTransaction transaction = redis.multi();
        transaction.set(here, "1");
        assertThrows(Unsupported.class, () -> transaction.waitReplicas(1, 1));
        assertThrows(Unsupported.class, transaction::exec);
        assertNull(redis.get(here));
    }

    /* ---- WATCH ---- */

    @Test
    void aChangedWatchedKeyPreventsTheExecution() {
        for (boolean isChanged : new boolean[] {true, false}) {
            AbstractTransaction transaction = redis.transaction(false);
            transaction.watch(here);
            assertEquals(null, transaction.get(here).get());
            if (isChanged) {
                redis.set(here, "changed");
            }
            transaction.multi();
            transaction.set(here, "mine");
            assertEquals(isChanged ? null : List.of("OK"), transaction.exec());
            assertEquals(isChanged ? "changed" : "mine", redis.get(here));
            redis.del(here);
        }
    }

    @Test
    void anEmptyTransactionStillDetectsAChangeOfWatchedKeys() {
        AbstractTransaction transaction = redis.transaction(false);
        transaction.watch(here);
        redis.set(here, "changed");
        transaction.multi();
        assertNull(transaction.exec());
    }

    @Test
    void nothingIsWatchedAfterUnwatchDiscardOrClose() {
        AbstractTransaction transaction = redis.transaction(false);
        for (Runnable end :
                List.<Runnable>of(
                        transaction::unwatch,
                        () -> {
                            transaction.multi();
                            transaction.discard();
                        },
                        transaction::close)) {
            transaction.watch(here.getBytes());
            redis.incr(here);
            end.run();
            assertNothingLeased(redis);
            transaction.multi();
            transaction.incr(here);
            assertEquals(1, transaction.exec().size());
        }
        assertEquals("6", redis.get(here));
    }

    @Test
    void betweenWatchAndMultiEveryNodeAnswersImmediately() {
        redis.mset(here, "1", there, "2");
        try (AbstractTransaction transaction = redis.transaction(false)) {
            transaction.watch(here);
            assertEquals("1", transaction.get(here).get());
            assertEquals("2", transaction.get(there).get());
            assertEquals(List.of("1", "2"), transaction.mget(here, there).get());
            assertThrows(JedisDataException.class, () -> transaction.llen(here).get());
        }
    }

    @Test
    void fourThreadsThatWatchTheSameCounterLoseNoIncrement() throws InterruptedException {
        Callers.inThreads(
                4,
                number -> {
                    for (int done = 0; done < 50; ) {
                        try (AbstractTransaction transaction = redis.transaction(false)) {
                            transaction.watch(here);
                            String now = transaction.get(here).get();
                            transaction.multi();
                            transaction.set(
                                    here,
                                    String.valueOf(now == null ? 1 : Long.parseLong(now) + 1));
                            done += transaction.exec() == null ? 0 : 1;
                        }
                    }
                });
        assertEquals("200", redis.get(here));
    }

    @Test
    void betweenWatchAndMultiACommandMayWaitLongerThanTheTimeout() {
        try (OneHopClient client = nodes.client("timeout: 4000");
                AbstractTransaction transaction = client.transaction(false)) {
            transaction.watch(here);
            assertNull(transaction.blpop(5, here).get());
            transaction.multi();
            transaction.set(here, "value");
            assertEquals(List.of("OK"), transaction.exec());
        }
    }

    /* ---- Order of calls ---- */

    @Test
    void callsOutOfOrderAreRefused() {
        AbstractTransaction transaction = redis.transaction(false);
        assertEquals(
                "EXEC without MULTI",
                assertThrows(IllegalStateException.class, transaction::exec).getMessage());
        assertThrows(IllegalStateException.class, transaction::discard);
        transaction.multi();
        assertThrows(IllegalStateException.class, transaction::multi);
        assertThrows(IllegalStateException.class, () -> transaction.watch(here));
        assertThrows(IllegalStateException.class, transaction::unwatch);
        transaction.close();
    }

    /* ---- Failures ---- */

    /**
     * Runs a job with a transaction on a node that answers its WATCH, and then follows the script.
     */
    private static void watching(
            ScriptedNode.Script then, BiConsumer<AbstractTransaction, ScriptedNode> test) {
        watching(30_000, then, test);
    }

    private static void watching(
            int timeoutMs,
            ScriptedNode.Script then,
            BiConsumer<AbstractTransaction, ScriptedNode> test) {
        ScriptedNode.Script script =
                talk -> {
                    talk.handshake().command();
                    talk.send("+OK\r\n");
                    then.talk(talk);
                };
        try (ScriptedNode node = ScriptedNode.start(script);
                OneHopClient client =
                        Inspected.clientOf(Stream.of(node), "timeout: " + timeoutMs)) {
            AbstractTransaction transaction = client.transaction(false);
            transaction.watch("key");
            test.accept(transaction, node);
            assertNothingLeased(client);
        }
    }

    @Test
    void unexpectedBytesBetweenTwoCommandsAreNoReplyToEitherOfThem() {
        CompletableFuture<Void> isWatched = new CompletableFuture<>();
        CompletableFuture<Void> isSaid = new CompletableFuture<>();
        watching(
                talk -> {
                    isWatched.join();
                    talk.bulk("unasked");
                    isSaid.complete(null);
                    talk.command();
                    talk.bulk("value").awaitClose();
                },
                (transaction, node) -> {
                    isWatched.complete(null);
                    isSaid.join();
                    ProtocolViolation failure =
                            assertThrows(ProtocolViolation.class, () -> transaction.get("key"));
                    assertFalse(failure.mayHaveExecuted());
                    transaction.close();
                });
    }

    @Test
    void whenTheConnectionThatWatchesIsLostEveryCallFailsAlikeUntilTheEnd() {
        watching(
                ScriptedNode.Talk::command,
                (transaction, node) -> {
                    NodeDown lost = assertThrows(NodeDown.class, () -> transaction.get("key"));
                    assertSame(lost, assertThrows(NodeDown.class, () -> transaction.get("key")));
                    assertSame(lost, assertThrows(NodeDown.class, () -> transaction.watch("key")));
                    transaction.multi();
                    assertSame(
                            lost,
                            assertThrows(NodeDown.class, () -> transaction.set("key", "value")));
                    assertSame(lost, assertThrows(NodeDown.class, transaction::exec));
                    assertEquals(1, node.connections());
                    assertEquals("OK", transaction.watch("key"));
                    transaction.close();
                });
    }

    @Test
    void afterALostConnectionDuringExecTheTransactionMayHaveRunAndIsNotSentAgain() {
        AtomicInteger begun = new AtomicInteger();
        watching(
                talk -> {
                    begun.addAndGet(talk.command().get(0).equals("MULTI") ? 1 : 0);
                    talk.send("+OK\r\n").command();
                    talk.command();
                    talk.send("+QUEUED\r\n");
                },
                (transaction, node) -> {
                    transaction.multi();
                    Response<String> set = transaction.set("key", "value");
                    NodeDown lost = assertThrows(NodeDown.class, transaction::exec);
                    assertTrue(lost.mayHaveExecuted());
                    assertSame(lost, assertThrows(NodeDown.class, set::get));
                    assertEquals(1, begun.get());
                    assertEquals(1, node.connections());
                });
    }

    @Test
    void aNodeThatHangsDuringExecIsAwaitedOnlyUntilTheDeadline() {
        for (boolean isBegun : new boolean[] {false, true}) {
            watching(
                    3000,
                    talk -> {
                        talk.command();
                        talk.send(isBegun ? "+OK\r\n" : "").awaitClose();
                    },
                    (transaction, node) -> {
                        transaction.multi();
                        transaction.set("key", "value");
                        DeadlineExceeded late =
                                assertThrows(DeadlineExceeded.class, transaction::exec);
                        assertEquals(isBegun, late.mayHaveExecuted());
                    });
        }
    }

    @Test
    void ifMultiIsNotAnsweredOkNothingMoreIsSentAndTheConnectionIsClosed() {
        for (String answer : List.of("-NOPERM no MULTI\r\n", "+QUEUED\r\n", "$-1\r\n", ":1\r\n")) {
            List<List<String>> seen = Collections.synchronizedList(new ArrayList<>());
            watching(
                    talk -> {
                        seen.add(talk.command());
                        talk.send(answer);
                        seen.add(talk.command());
                    },
                    (transaction, node) -> {
                        transaction.multi();
                        Response<String> set = transaction.set("key", "value");
                        RuntimeException refused =
                                assertThrows(RuntimeException.class, transaction::exec);
                        assertEquals(
                                answer.startsWith("-"),
                                refused instanceof JedisDataException,
                                answer);
                        assertSame(
                                refused.getClass(),
                                assertThrows(RuntimeException.class, set::get).getClass());
                        assertTrue(Callers.holdsSoon(() -> seen.size() == 2));
                        assertEquals(Arrays.asList(List.of("MULTI"), null), seen);
                    });
        }
    }

    @Test
    void anExecReplyOfAnotherShapeIsAViolation() {
        List<String> wrong =
                new ArrayList<>(List.of("*0\r\n", "*2\r\n+OK\r\n+OK\r\n", "+OK\r\n", ":1\r\n"));
        for (String answer : wrong) {
            watching(
                    talk -> {
                        talk.command();
                        talk.send("+OK\r\n").command();
                        talk.command();
                        talk.send("+QUEUED\r\n" + answer);
                        talk.awaitClose();
                    },
                    (transaction, node) -> {
                        transaction.multi();
                        Response<String> set = transaction.set("key", "value");
                        assertThrows(ProtocolViolation.class, transaction::exec);
                        assertThrows(ProtocolViolation.class, set::get);
                    });
        }
    }

    @Test
    void ifUnwatchFailsCloseClosesTheConnection() {
        watching(
                3000,
                talk -> {
                    talk.command();
                    talk.awaitClose();
                },
                (transaction, node) -> {
                    transaction.close();
                    assertEquals(1, node.connections());
                });
    }
}
