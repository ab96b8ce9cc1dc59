package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.Role;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisCluster;

import org.junit.jupiter.api.Test;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Response;
import redis.clients.jedis.StreamEntryID;
import redis.clients.jedis.args.UnblockType;
import redis.clients.jedis.params.XReadParams;
import redis.clients.jedis.resps.Slowlog;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Redis Clusters under load, whose masters die, whose replicas answer, and whose slots move. */
class RedisClusterFailoverTest {

    @Test
    void aMasterThatDiesIsReplacedByItsReplica() {
        try (RedisCluster cluster = RedisCluster.start(3, true);
                OneHopClient client = cluster.client("timeout: 30000");
                OneHopClient reading =
                        cluster.client("timeout: 30000", "read_from: prefer_master")) {
            String[] keys = Nodes.keys(300);
            for (String key : keys) {
                client.set(key, key);
            }
            cluster.awaitWrites(3);
            String dead = client.topology().locate(keys[0]).name();
            assertEquals(
                    cluster.server(0).node(),
                    client.topology().find(cluster.server(0).node()).name());
            int index =
                    IntStream.range(0, 3)
                            .filter(i -> cluster.server(i).node().equals(dead))
                            .findFirst()
                            .orElseThrow();
            assertEquals(List.of(keys), reading.mget(keys));
            cluster.server(index).kill();
            assertEquals(keys[0], reading.get(keys[0]));
            assertEquals(List.of(keys), reading.mget(keys));
            String alive =
                    IntStream.range(0, 300)
                            .mapToObj(i -> keys[i])
                            .filter(key -> !client.topology().locate(key).name().equals(dead))
                            .findFirst()
                            .orElseThrow();
            assertEquals(alive, client.get(alive));
            RedisCluster.await(
                    "the replica serves",
                    () -> {
                        assertEquals(keys[0], reading.get(keys[0]));
                        try {
                            return keys[0].equals(client.get(keys[0]));
                        } catch (NodeDown election) { // The election is not over yet.
                            return false;
                        }
                    });
            assertEquals(List.of(keys), client.mget(keys));
            assertEquals(
                    cluster.server(3 + index).node(), client.topology().locate(keys[0]).name());
        }
    }

    @Test
    void readsGoToReplicasOrToMastersIfTheReplicasAreDead() {
        try (RedisCluster cluster = RedisCluster.start(3, true);
                OneHopClient client = cluster.client("read_from: prefer_replica");
                OneHopClient strict = cluster.client("read_from: replica")) {
            String[] keys = Nodes.keys(100);
            for (String key : keys) {
                client.set(key, key);
            }
            cluster.awaitWrites(3);
            for (String key : keys) {
                assertEquals(key, client.get(key));
            }
            assertEquals(List.of(keys), client.mget(keys));
            try (AbstractPipeline batch = client.pipelined()) {
                List<Response<String>> replies = new ArrayList<>();
                for (String key : keys) {
                    replies.add(batch.get(key));
                }
                batch.sync();
                for (int i = 0; i < keys.length; i++) {
                    assertEquals(keys[i], replies.get(i).get());
                }
            }
            assertEquals(keys[0], strict.get(keys[0]));
            for (int i = 0; i < 3; i++) {
                assertEquals(0, cluster.server(i).calls("get") + cluster.server(i).calls("mget"));
                cluster.server(3 + i).kill();
            }
            for (String key : keys) {
                assertEquals(key, client.get(key));
            }
            assertEquals(List.of(keys), client.mget(keys));
            assertThrows(NodeDown.class, () -> strict.get(keys[0]));
            assertEquals("OK", strict.set(keys[0], "new"));
            assertEquals(
                    3,
                    client.dbSize() > 0
                            ? client.onEachNode(commands -> commands.dbSize()).size()
                            : 0);
            assertTrue(
                    client.topology().nodes().stream()
                                    .filter(node -> node.role() == Role.MASTER)
                                    .count()
                            == 3);
        }
    }

    /** The masters and their replicas swap roles, twice, while all threads read and write. */
    @Test
    void aPlannedFailoverCausesNoFailure() throws InterruptedException {
        try (RedisCluster cluster = RedisCluster.start(3, true);
                OneHopClient client = cluster.client("read_from: prefer_replica")) {
            AtomicBoolean isOver = new AtomicBoolean();
            List<String> keys = List.of(Nodes.keys(100));
            Callers.Running writer =
                    new Callers.Running(
                            () -> {
                                for (long round = 1; !isOver.get(); round++) {
                                    List<Response<Long>> counts = new ArrayList<>();
                                    try (AbstractPipeline batch = client.pipelined()) {
                                        keys.forEach(key -> counts.add(batch.incr(key)));
                                    }
                                    for (Response<Long> count : counts) {
                                        assertEquals(round, count.get());
                                    }
                                    client.mget(keys.toArray(new String[0]));
                                    Processes.pause(1);
                                }
                            });
            for (int server : new int[] {3, 4, 0, 1}) {
                cluster.promote(server);
                cluster.awaitReplicas();
            }
            isOver.set(true);
            assertNull(writer.end());
            for (int server : new int[] {0, 1}) {
                String node = cluster.server(server).node();
                RedisCluster.await(
                        "the map has the new master",
                        () ->
                                client.incr("key:0") > 0
                                        && client.incr("key:1") > 0
                                        && client.topology().find(node).role() == Role.MASTER);
            }
        }
    }

    /** Several blocking commands wait at the master when its replica takes over. */
    @Test
    void aBlockingCommandGoesOnAtTheNewMaster() throws Exception {
        try (RedisCluster cluster = RedisCluster.start(1, true);
                OneHopClient client = cluster.client()) {
            Jedis heir = cluster.server(1).jedis(); // Stays open when the replica is promoted.
            heir.configSet("slowlog-log-slower-than", "0");
            XReadParams endless = XReadParams.xReadParams().block(30_000);
            Map<String, StreamEntryID> streams = Map.of("stream", StreamEntryID.XREAD_NEW_ENTRY);
            List<FutureTask<Object>> waits =
                    Stream.<Callable<Object>>of(
                                    () -> client.blpop(30, "first"),
                                    () -> client.brpop(0, "second"),
                                    () -> client.bzpopmin(30, "sorted"),
                                    () -> client.xread(endless, streams).size())
                            .map(Callers::begun)
                            .toList();
            RedisCluster.await("four calls block", () -> Callers.blocked(cluster.server(0)) == 4);
            Processes.pause(300);
            cluster.promote(1);
            RedisCluster.await(
                    "four calls block at the new master",
                    () -> Callers.blocked(cluster.server(1)) == 4);
            heir.rpush("first", "1");
            heir.rpush("second", "2");
            heir.zadd("sorted", 1, "one");
            heir.xadd("stream", StreamEntryID.NEW_ENTRY, Map.of("field", "value"));
            for (FutureTask<Object> wait : waits) {
                assertNotNull(wait.get(30, TimeUnit.SECONDS));
            }
            assertLeft(30, sent(heir, "BLPOP").get(2));
            assertLeft(30, sent(heir, "BZPOPMIN").get(2));
            assertLeft(30_000, sent(heir, "XREAD").get(2));
            assertEquals("0", sent(heir, "BRPOP").get(2));
            heir.close();
        }
    }

    /** The words of the last command of this name that the server has executed. */
    private static List<String> sent(Jedis server, String command) {
        return server.slowlogGet(100).stream()
                .map(Slowlog::getArgs)
                .filter(words -> words.get(0).equalsIgnoreCase(command))
                .findFirst()
                .orElseThrow();
    }

    private static void assertLeft(double whole, String timeout) {
        double left = Double.parseDouble(timeout);
        assertTrue(left > whole * 0.1 && left < whole * 0.995, timeout);
    }

    @Test
    void clientUnblockEndsAWaitWithAFailure() throws Exception {
        try (RedisCluster cluster = RedisCluster.start(1, false);
                OneHopClient client = cluster.client();
                Jedis server = cluster.server(0).jedis()) {
            FutureTask<Object> wait = Callers.begun(() -> client.blpop(30.0, "nothing"));
            RedisCluster.await("the call blocks", () -> Callers.blocked(cluster.server(0)) == 1);
            Matcher id = Pattern.compile("id=(\\d+) .* cmd=blpop ").matcher(server.clientList());
            assertTrue(id.find());
            server.clientUnblock(Long.parseLong(id.group(1)), UnblockType.ERROR);
            ExecutionException failure =
                    assertThrows(ExecutionException.class, () -> wait.get(30, TimeUnit.SECONDS));
            assertInstanceOf(DeadlineExceeded.class, failure.getCause());
        }
    }

    /**
     * Every value has its key and a number in it. At the end a key has the last acknowledged value.
     */
    @Test
    void pipelinesLoseAndMixUpNothingWhileSlotsMove() throws InterruptedException {
        try (RedisCluster cluster = RedisCluster.start(3, false);
                OneHopClient client = cluster.client()) {
            Map<Integer, String> tags = new HashMap<>();
            for (int i = 0; tags.size() < 200; i++) {
                int slot = RedisCluster.slot(String.valueOf(i));
                if (slot < 200) {
                    tags.putIfAbsent(slot, String.valueOf(i));
                }
            }
            AtomicBoolean isOver = new AtomicBoolean();
            List<Callers.Running> writers = new ArrayList<>();
            for (int number = 0; number < 3; number++) {
                String name = "writer" + number;
                List<String> keys =
                        tags.values().stream().map(tag -> "{" + tag + "}" + name).toList();
                writers.add(new Callers.Running(() -> write(client, keys, isOver)));
            }
            for (int slot = 0; slot < 200; slot++) {
                cluster.move(slot, 0, 1);
            }
            isOver.set(true);
            for (Callers.Running writer : writers) {
                assertNull(writer.end());
            }
            assertEquals(
                    cluster.server(1).node(),
                    client.topology().locate("{" + tags.get(0) + "}").name());
        }
    }

    private static void write(OneHopClient client, List<String> keys, AtomicBoolean isOver) {
        Map<String, Integer> last = new HashMap<>();
        for (int round = 1; !isOver.get(); round++) {
            List<Response<String>> values = new ArrayList<>();
            List<Response<Long>> counts = new ArrayList<>();
            try (AbstractPipeline batch = client.pipelined()) {
                for (String key : keys) {
                    batch.set(key, key + "=" + round);
                    values.add(batch.get(key));
                    counts.add(batch.incr(key + ":count"));
                }
            }
            for (int i = 0; i < keys.size(); i++) {
                assertEquals(keys.get(i) + "=" + round, values.get(i).get());
                assertEquals(round, counts.get(i).get());
                last.put(keys.get(i), round);
            }
            Processes.pause(1);
        }
        List<String> found = client.mget(keys.toArray(new String[0]));
        for (int i = 0; i < keys.size(); i++) {
            assertEquals(keys.get(i) + "=" + last.get(keys.get(i)), found.get(i));
        }
    }
}
