package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertFalse;

import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisServer;

import redis.clients.jedis.Jedis;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Many threads that call at the same time, for tests. */
final class Callers {

    private Callers() {}

    /** Runs the same job in many threads. Throws the first failure of any of them. */
    static void inThreads(int count, Job job) throws InterruptedException {
        ConcurrentLinkedQueue<Throwable> wrong = new ConcurrentLinkedQueue<>();
        List<Thread> threads =
                IntStream.range(0, count)
                        .mapToObj(
                                number ->
                                        new Thread(
                                                () -> {
                                                    try {
                                                        job.run(number);
                                                    } catch (Throwable thrown) {
                                                        wrong.add(thrown);
                                                    }
                                                },
                                                "caller-" + number))
                        .toList();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join(60_000);
            assertFalse(thread.isAlive(), "a call that never ends");
        }
        if (!wrong.isEmpty()) {
            throw new AssertionError(wrong.size() + " threads failed", wrong.peek());
        }
    }

    /** How many clients of this server wait in a blocking command. */
    static long blocked(RedisServer server) {
        try (Jedis jedis = server.jedis()) {
            Matcher matcher =
                    Pattern.compile("blocked_clients:(\\d+)").matcher(jedis.info("clients"));
            return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
        }
    }

    interface Job {
        void run(int number) throws InterruptedException;
    }

    static boolean holdsSoon(BooleanSupplier condition) {
        for (int i = 0; i < 3000; i++) {
            if (condition.getAsBoolean()) {
                return true;
            }
            Processes.pause(10);
        }
        return false;
    }

    /** Repeats a call until it is answered: a busy machine may miss a short deadline. */
    static <T> T answered(Supplier<T> call) {
        for (int i = 0; i < 500; i++) {
            try {
                return call.get();
            } catch (OneHopException late) {
                Processes.pause(10);
            }
        }
        return call.get();
    }
}
