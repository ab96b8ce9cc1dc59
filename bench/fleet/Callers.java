/*
 * The calls of bench/fleet's job `pool` in Java. Takes CONFIG and, from stdin, lines with the name
 * of a server pool, a rate and a number of seconds. Calls arrive by chance at that rate, whether
 * earlier ones have ended or not; each reads `key`. Answers one line: calls, calls that waited for
 * a connection, calls that failed, and the quartile, median and 99th percentile of their times in
 * microseconds. A wrong value ends the program.
 *
 * A single-file program: `java -cp JAR Callers.java CONFIG`, where JAR is the testee's.
 */

import io.onehop.jedis.NodeStatus;
import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.OneHopException;

import java.nio.file.Path;
import java.util.Random;
import java.util.Scanner;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

public final class Callers {
    private static final Random CHANCE = new Random(0);

    public static void main(String[] arguments) throws Exception {
        Scanner requests = new Scanner(System.in);
        while (requests.hasNext()) {
            String pool = requests.next();
            Path config = Path.of(arguments[0]);
            try (OneHopClient client = OneHopClient.builder().config(config).pool(pool).build()) {
                double rate = requests.nextDouble();
                arrive(client, rate, 1); // Loads classes and opens connections.
                System.out.println(arrive(client, rate, requests.nextDouble()));
            }
        }
    }

    private static String arrive(OneHopClient client, double rate, double seconds)
            throws InterruptedException {
        ConcurrentLinkedQueue<Long> times = new ConcurrentLinkedQueue<>();
        AtomicInteger failed = new AtomicInteger();
        ExecutorService threads = Executors.newCachedThreadPool();
        NodeStatus before = client.status().nodes().get(0);
        long start = System.nanoTime();
        double at = 0;
        while ((at -= Math.log(1 - CHANCE.nextDouble()) / rate) < seconds) {
            long left = start + (long) (at * 1e9) - System.nanoTime();
            if (left > 0) {
                TimeUnit.NANOSECONDS.sleep(left);
            }
            threads.execute(() -> call(client, times, failed));
        }
        threads.shutdown();
        threads.awaitTermination(1, TimeUnit.MINUTES);
        NodeStatus after = client.status().nodes().get(0);
        long[] sorted = times.stream().mapToLong(time -> time / 1000).sorted().toArray();
        return String.format(
                "%d %d %d %d %d %d",
                after.calls() - before.calls(),
                after.waits() - before.waits(),
                failed.get(),
                sorted[sorted.length / 4],
                sorted[sorted.length / 2],
                sorted[sorted.length * 99 / 100]);
    }

    private static void call(
            OneHopClient client, ConcurrentLinkedQueue<Long> times, AtomicInteger failed) {
        long begun = System.nanoTime();
        try {
            String value = client.get("key");
            if (!"value of key".equals(value)) {
                System.err.println("a wrong value: " + value);
                Runtime.getRuntime().halt(1);
            }
            times.add(System.nanoTime() - begun);
        } catch (OneHopException failure) {
            failed.incrementAndGet();
        }
    }
}
