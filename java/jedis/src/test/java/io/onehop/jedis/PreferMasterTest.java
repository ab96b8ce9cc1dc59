package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Response;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * {@code read_from: prefer_master}. The replica does not replicate, so the value of a key shows
 * which node has answered.
 */
class PreferMasterTest {
    private RedisServer master;
    private RedisServer replica;

    @BeforeEach
    void start() {
        master = RedisServer.start();
        replica = RedisServer.start();
        fill(master, "master");
        fill(replica, "replica");
    }

    @AfterEach
    void stop() {
        master.close();
        replica.close();
    }

    private static void fill(RedisServer server, String value) {
        server.ask(jedis -> jedis.mset("key", value, "other", value));
    }

    private OneHopClient client(String server, String... directives) {
        Stream<String> own =
                Stream.of(
                        "read_from: prefer_master",
                        "replicas: ['" + replica.node() + " north']",
                        "server_failure_limit: 1");
        return Nodes.clientOf(
                Stream.of(server + " north"),
                Stream.concat(own, Stream.of(directives)).toArray(String[]::new));
    }

    private OneHopClient client() {
        return client(master.server());
    }

    /** Reads by a single command, by a command with several keys, and in a batch. */
    private static void requireAnswers(String value, OneHopClient redis) {
        assertEquals(value, redis.get("key"));
        assertEquals(List.of(value, value), redis.mget("key", "other"));
        try (AbstractPipeline batch = redis.pipelined()) {
            Response<String> first = batch.get("key");
            Response<Long> length = batch.strlen("other");
            batch.sync();
            assertEquals(value, first.get());
            assertEquals(value.length(), length.get());
        }
    }

    @Test
    void theMasterAnswersWhileItIsUp() {
        try (OneHopClient redis = client()) {
            requireAnswers("master", redis);
            try (AbstractPipeline batch = redis.pipelined()) {
                List<Response<String>> replies =
                        List.of(batch.get("key"), batch.set("key", "new"), batch.get("key"));
                batch.sync();
                assertEquals(
                        List.of("master", "OK", "new"),
                        replies.stream().map(Response::get).toList());
            }
            assertEquals(1, replica.calls("mset"));
            assertEquals(0, replica.calls("get") + replica.calls("mget"));
        }
    }

    @Test
    void aReplicaAnswersForAMasterThatIsDead() {
        try (OneHopClient redis = client()) {
            requireAnswers("master", redis);
            master.kill();
            for (int i = 0; i < 10; i++) {
                requireAnswers("replica", redis);
            }
            assertThrows(NodeDown.class, () -> redis.set("key", "lost"));
            master.restart();
            fill(master, "master");
            RedisCluster.await("the master answers again", () -> "master".equals(redis.get("key")));
            requireAnswers("master", redis);
        }
    }

    @Test
    void aReadBehindAWriteIsNotAnsweredBeforeIt() {
        try (OneHopClient redis = client()) {
            requireAnswers("master", redis);
            master.kill();
            // At first the client does not know that the master is dead.
            for (int i = 0; i < 3; i++) {
                AbstractPipeline batch = redis.pipelined();
                Response<String> write = batch.set("key", "lost");
                Response<String> read = batch.get("other");
                assertThrows(NodeDown.class, batch::sync);
                assertThrows(NodeDown.class, write::get);
                assertThrows(NodeDown.class, read::get);
            }
            RedisCluster.await("the client knows that the master is dead", () -> isPartial(redis));
        }
    }

    /** Sends a read, a write and a read in a batch. False if all three failed at the master. */
    private static boolean isPartial(OneHopClient redis) {
        AbstractPipeline batch = redis.pipelined();
        Response<String> before = batch.get("key");
        Response<String> write = batch.set("key", "lost");
        Response<String> behind = batch.get("key");
        boolean isPartial =
                assertThrows(OneHopException.class, batch::sync) instanceof PartialBatch;
        if (isPartial) {
            assertEquals("replica", before.get());
            assertThrows(NodeDown.class, write::get);
            assertThrows(NodeDown.class, behind::get);
        }
        return isPartial;
    }

    @Test
    void aMasterThatHangsTakesHalfOfTheTimeOfARead() {
        try (OneHopClient redis = client(master.server(), "timeout: 6000")) {
            requireAnswers("master", redis);
            master.freeze();
            long begun = System.nanoTime();
            // One read finds out that the master hangs. The other reads do not wait for the master.
            requireAnswers("replica", redis);
            long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
            assertTrue(tookMs < 3 * 3000, tookMs + " ms");
            master.kill();
        }
    }

    @Test
    void aConnectionThatCannotBeOpenedTakesHalfOfTheTimeOfARead() {
        ScriptedNode.Script silent = talk -> talk.awaitClose();
        try (ScriptedNode hangs = ScriptedNode.start(silent);
                OneHopClient redis = client(hangs.server(), "timeout: 6000")) {
            requireAnswers("replica", redis);
        }
    }

    @Test
    void aReplicaAnswersForAMasterThatLoads() {
        ScriptedNode.Script loading =
                talk -> {
                    while (talk.command() != null) {
                        talk.send("-LOADING Redis is loading the dataset in memory\r\n");
                    }
                };
        try (ScriptedNode loads = ScriptedNode.start(loading);
                OneHopClient redis = client(loads.server())) {
            requireAnswers("replica", redis);
        }
    }
}
