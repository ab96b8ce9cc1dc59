package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.NoSecondTry;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.Response;
import redis.clients.jedis.StreamEntryID;
import redis.clients.jedis.params.XReadParams;
import redis.clients.jedis.resps.StreamEntry;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * Transactions, scripts in pipelines and waits on several nodes, in many threads, while connections
 * are killed and callers interrupted. Every reply reaches the caller it was meant for.
 */
@ExtendWith(NoSecondTry.class)
class LedgersTest {
    private static final int THREADS = 12;
    private static final int ROUNDS = 150;
    private static final String ECHO = "redis.call('GET', KEYS[1]) return ARGV[1]";

    /** One caller with keys of its own. */
    private static final class Caller {
        private final OneHopClient redis;
        private final Random random;
        private final int number;
        private final String digest;
        private int round;

        Caller(OneHopClient redis, int number, String digest) {
            this.redis = redis;
            this.number = number;
            this.digest = digest;
            this.random = new Random(number);
        }

        private String own(int i) {
            return "own:" + number + ":" + i;
        }

        private String token(int i) {
            return number
                    + "/"
                    + round
                    + "/"
                    + i
                    + "/"
                    + "x".repeat(random.nextInt(4) == 0 ? 20_000 : 5);
        }

        /** Some call, checked. It fails as a whole or is right as a whole. */
        void call() {
            round++;
            switch (random.nextInt(4)) {
                case 0 -> transaction(false);
                case 1 -> transaction(true);
                case 2 -> scripts();
                default -> streams();
            }
        }

        private void transaction(boolean isWatched) {
            String key = own(random.nextInt(10));
            String token = token(0);
            try (AbstractTransaction transaction = redis.transaction(false)) {
                if (isWatched) {
                    transaction.watch(key);
                    String before = transaction.get(key).get();
                    assertTrue(before == null || before.startsWith(number + "/"), before);
                }
                transaction.multi();
                transaction.set(key, token);
                transaction.append(key, "!");
                Response<String> got = transaction.get(key);
                assertEquals(
                        List.of("OK", (long) token.length() + 1, token + "!"), transaction.exec());
                assertEquals(token + "!", got.get());
            }
        }

        private void scripts() {
            AbstractPipeline pipeline = redis.pipelined();
            List<String> tokens = IntStream.range(0, 40).mapToObj(this::token).toList();
            List<Response<Object>> echoes = new ArrayList<>();
            for (int i = 0; i < tokens.size(); i++) {
                echoes.add(pipeline.evalsha(digest, List.of(own(i)), List.of(tokens.get(i))));
            }
            OneHopException failure = null;
            try {
                pipeline.sync();
            } catch (OneHopException failed) {
                failure = failed;
            }
            for (int i = 0; i < tokens.size(); i++) {
                try {
                    assertEquals(tokens.get(i), echoes.get(i).get());
                } catch (OneHopException failed) {
                    assertTrue(failure != null, "sync did not report " + failed);
                }
            }
            if (failure != null) {
                throw failure;
            }
        }

        private void streams() {
            String[] streams = {own(100) + "a", own(100) + "b", own(100) + "c"};
            String one = streams[random.nextInt(streams.length)];
            String token = token(0);
            redis.xadd(one, StreamEntryID.NEW_ENTRY, Map.of("token", token));
            StreamEntryID all = new StreamEntryID();
            List<Map.Entry<String, List<StreamEntry>>> read =
                    redis.xread(
                            XReadParams.xReadParams().block(1000),
                            Map.of(streams[0], all, streams[1], all, streams[2], all));
            List<StreamEntry> entries =
                    read.stream()
                            .filter(stream -> stream.getKey().equals(one))
                            .findFirst()
                            .orElseThrow()
                            .getValue();
            assertEquals(token, entries.get(entries.size() - 1).getFields().get("token"));
            redis.del(streams);
        }
    }

    @Test
    void everyReplyReachesTheCallerItWasMeantFor() throws InterruptedException {
        try (Nodes nodes = Nodes.start(3);
                OneHopClient redis =
                        nodes.client("timeout: 3000", "pool_size: 4", Inspected.NEVER_RESTING)) {
            String digest = redis.scriptLoad(ECHO);
            AtomicBoolean isOver = new AtomicBoolean();
            AtomicLong right = new AtomicLong();
            AtomicLong failed = new AtomicLong();
            Thread killer =
                    new Thread(
                            () -> {
                                List<Jedis> admins =
                                        nodes.servers().stream().map(RedisServer::jedis).toList();
                                for (int i = 0; !isOver.get(); i++) {
                                    admins.get(i % admins.size())
                                            .sendCommand(
                                                    Command.CLIENT,
                                                    "KILL",
                                                    "TYPE",
                                                    "normal",
                                                    "SKIPME",
                                                    "yes");
                                    Processes.pause(15);
                                }
                                admins.forEach(Jedis::close);
                            },
                            "killer");
            killer.start();
            try {
                Callers.inThreads(
                        THREADS,
                        number -> {
                            Caller caller = new Caller(redis, number, digest);
                            Thread thread = Thread.currentThread();
                            for (int i = 0; i < ROUNDS; i++) {
                                if (number % 3 == 0 && i % 20 == 0) {
                                    thread.interrupt();
                                }
                                try {
                                    caller.call();
                                    right.incrementAndGet();
                                } catch (OneHopException killed) {
                                    failed.incrementAndGet();
                                }
                                Thread.interrupted();
                            }
                        });
            } finally {
                isOver.set(true);
                killer.join();
            }
            assertTrue(
                    right.get() > 100 && failed.get() > 20,
                    right + " right, " + failed + " failed");
            Inspected.assertNothingLeased(redis);
            assertNull(redis.get("nobody's"));
        }
    }
}
