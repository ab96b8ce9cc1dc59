package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisServer;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Threads that make calls for tests: single threads, and many at the same time. */
final class Callers {

    private Callers() {}

    /* A busy machine may need minutes for the job. JUnit ends a test after ten minutes. */
    private static final int JOB_MS_MAX = 240_000;

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
            thread.join(JOB_MS_MAX);
            assertFalse(thread.isAlive(), "a call that never ends");
        }
        if (!wrong.isEmpty()) {
            throw new AssertionError(wrong.size() + " threads failed", wrong.peek());
        }
    }

    /**
     * Runs a job in many threads, while the connections of one server after another are killed.
     * Returns how many were killed.
     */
    static long inThreadsWhileKilled(List<RedisServer> servers, int pauseMs, int count, Job job)
            throws InterruptedException {
        AtomicLong kills = new AtomicLong();
        AtomicBoolean isOver = new AtomicBoolean();
        Running killer =
                new Running(
                        () -> {
                            for (int i = 0; !isOver.get(); i++) {
                                kills.addAndGet(servers.get(i % servers.size()).killClients());
                                Processes.pause(pauseMs);
                            }
                        });
        try {
            inThreads(count, job);
        } finally {
            isOver.set(true);
        }
        assertNull(killer.end());
        return kills.get();
    }

    /** How many clients of this server wait in a blocking command. */
    static long blocked(RedisServer server) {
        return server.number("clients", "blocked_clients");
    }

    /** Begins a call in a thread of its own. */
    static <T> FutureTask<T> begun(Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        new Running(task);
        return task;
    }

    /** A job in a thread of its own, and what it has thrown. */
    static final class Running {
        final Thread thread;
        private volatile Throwable thrown;

        Running(Runnable job) {
            thread =
                    new Thread(
                            () -> {
                                try {
                                    job.run();
                                } catch (Throwable failure) {
                                    thrown = failure;
                                }
                            },
                            "running");
            thread.setDaemon(true);
            thread.start();
        }

        /** What the job has thrown, or {@code null} as long as it has thrown nothing. */
        Throwable thrown() {
            return thrown;
        }

        /** Waits for the end of the job. Returns what it has thrown, or {@code null}. */
        Throwable end() throws InterruptedException {
            thread.join(60_000); // Its last call may take as long as the timeout of 30 s.
            assertFalse(thread.isAlive(), "the job does not end");
            return thrown;
        }
    }

    interface Job {
        void run(int number) throws InterruptedException;
    }

    static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
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

    /** Repeats a call until it is answered, because a busy machine may miss a short deadline. */
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
