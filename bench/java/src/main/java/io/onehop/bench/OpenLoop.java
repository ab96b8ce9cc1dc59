/*
 * The open-loop load driver: requests arrive at a fixed rate, whether earlier ones are answered or
 * not.
 *
 * Each run decides beforehand when its requests arrive: at random, independent of each other, at
 * the given mean rate, and at the same moments for every path. Its threads take the arrivals in
 * order. If a thread is early, it sleeps until its request arrives. If all threads are busy,
 * requests wait for a thread. A latency is counted from the arrival, not from the moment a thread
 * was free. So a path that stalls is charged with all requests that it kept waiting (no coordinated
 * omission).
 *
 * A run ends on time. A request that no thread has begun by then is unserved; the time it has
 * waited so far counts as its latency. Every answer is checked, and a wrong value ends the program.
 * Requests that failed are counted by their messages; their latencies count.
 *
 * Run by bench/open_loop.py, with two arguments: the file name of a plan, and the timeout of Jedis'
 * clients in milliseconds. OneHop has its own in CONFIG. Each line of the plan describes one path
 * to the nodes, `NAME KIND WORD ...`:
 *
 *     page SOCKET URI         a PHP page (bench/php/paths.php), from nginx at this unix socket
 *     onehop CONFIG POOL      OneHopClient in this JVM
 *     node HOST PORT          RedisClient in this JVM, to a node or to nutcracker
 *     cluster HOST PORT ...   RedisClusterClient in this JVM
 *
 * It prints `ready`, and answers each line `NAME JOB THREADS RATE SECONDS` with a line of JSON.
 */

package io.onehop.bench;

import com.google.gson.Gson;
import com.sun.management.OperatingSystemMXBean;

import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.UnifiedJedis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

public final class OpenLoop {

    private static final long SECOND = 1_000_000_000L;
    private static final long SEED = 15;

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** Does one job for the request of this number, and checks the answer. */
    private interface Target {
        void request(String job, long number) throws IOException;
    }

    /** Ends the program; every other exception is a request that failed. */
    private static final class WrongAnswer extends Error {
        WrongAnswer(String message) {
            super(message);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, Target> targets = new HashMap<>();
        for (String line : Files.readAllLines(Path.of(arguments[0]))) {
            String[] words = line.split(" ");
            targets.put(words[0], target(words, Integer.parseInt(arguments[1])));
        }
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line; (line = requests.readLine()) != null; ) {
            String[] words = line.split(" ");
            Run run =
                    new Run(
                            targets.get(words[0]),
                            words[1],
                            Integer.parseInt(words[2]),
                            Double.parseDouble(words[3]),
                            Double.parseDouble(words[4]));
            try {
                System.out.println(new Gson().toJson(run.result()));
            } catch (WrongAnswer wrong) {
                System.err.println(line + ": " + wrong.getMessage());
                System.exit(1);
            }
        }
        System.exit(0); // The clients' pools may keep threads.
    }

    private static Target target(String[] words, int timeoutMs) {
        List<String> rest = Arrays.asList(words).subList(2, words.length);
        return switch (words[1]) {
            case "page" -> new Page(UnixDomainSocketAddress.of(words[2]), words[3]);
            case "onehop" -> new Client(Worker.onehop(rest));
            case "node" -> new Client(Worker.one(rest, timeoutMs));
            case "cluster" -> new Client(Worker.cluster(rest, timeoutMs));
            default -> throw new IllegalArgumentException(String.join(" ", words));
        };
    }

    // ---- Jobs ----

    private static int sizeOf(String job) {
        return job.equals("get") ? 1 : 100;
    }

    /** The keys of a request, as in paths.php. */
    private static String[] keys(String job, long number) {
        String[] keys = new String[sizeOf(job)];
        for (int i = 0; i < keys.length; i++) {
            String prefix = job.equals("hgets") ? "user:" : "item:";
            keys[i] = prefix + (number * keys.length + i) * 7919 % 10_000;
        }
        return keys;
    }

    /** A client of this JVM. */
    private record Client(UnifiedJedis redis) implements Target {

        @Override
        public void request(String job, long number) {
            String[] keys = keys(job, number);
            List<String> values =
                    switch (job) {
                        case "get" -> Arrays.asList(redis.get(keys[0]));
                        case "mget" -> redis.mget(keys);
                        default -> hgets(keys);
                    };
            String field = job.equals("hgets") ? "name of " : "value of ";
            for (int i = 0; i < keys.length; i++) {
                if (!(field + keys[i]).equals(values.get(i))) {
                    throw new WrongAnswer("wrong value for " + keys[i] + ": " + values.get(i));
                }
            }
        }

        private List<String> hgets(String[] keys) {
            List<Response<String>> responses = new ArrayList<>(keys.length);
            try (AbstractPipeline pipeline = (AbstractPipeline) redis.pipelined()) {
                for (String key : keys) {
                    responses.add(pipeline.hget(key, "name"));
                }
                pipeline.sync();
            }
            return responses.stream().map(Response::get).toList();
        }
    }

    /** A page of php-fpm. Each request has its own connection to nginx. */
    private record Page(UnixDomainSocketAddress nginx, String uri) implements Target {

        @Override
        public void request(String job, long number) throws IOException {
            String answer = get(uri + "&job=" + job + "&number=" + number);
            int status = answer.length() < 12 ? 0 : Integer.parseInt(answer.substring(9, 12));
            String body = answer.substring(answer.indexOf("\r\n\r\n") + 4);
            if (status != 200) {
                throw new IOException(status + " " + body.lines().findFirst().orElse(""));
            }
            if (!body.equals(Integer.toString(sizeOf(job)))) {
                throw new WrongAnswer(uri + ": " + body);
            }
        }

        private String get(String uri) throws IOException {
            try (SocketChannel connection = SocketChannel.open(nginx)) {
                String request = "GET " + uri + " HTTP/1.0\r\n\r\n";
                connection.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
                ByteBuffer answer = ByteBuffer.allocate(4096);
                while (answer.hasRemaining() && connection.read(answer) >= 0) {}
                return new String(
                        answer.array(), 0, answer.position(), StandardCharsets.ISO_8859_1);
            }
        }
    }

    // ---- One run ----

    /** What became of the requests that arrived in one second of the run. */
    private static final class Tally {

        /** In nanoseconds, exact to a thousandth of the value. */
        final Histogram latencies = new ConcurrentHistogram(3);

        final AtomicInteger failed = new AtomicInteger();

        Map<String, Object> described() {
            Map<String, Object> words = new LinkedHashMap<>();
            words.put("requests", latencies.getTotalCount());
            words.put("failed", failed.get());
            words.put("p50_us", at(50));
            words.put("p99_us", at(99));
            words.put("p999_us", at(99.9));
            words.put("max_us", at(100));
            return words;
        }

        private double at(double percentile) {
            return latencies.getValueAtPercentile(percentile) / 1e3;
        }
    }

    private static final class Run {

        private final Target target;
        private final String job;
        private final double seconds;
        private final long length;

        /** When each request arrives, in nanoseconds after the start. */
        private final long[] arrivals;

        private final AtomicInteger next = new AtomicInteger();
        private final AtomicInteger answeredInTime = new AtomicInteger();
        private final Tally[] tallies;
        private final Map<String, AtomicInteger> errors = new ConcurrentHashMap<>();

        /** How late the driver itself woke for requests that found an idle thread. */
        private final Histogram lateness = new ConcurrentHistogram(3);

        /** Becomes zero when all threads have started. They then wait for `begin`. */
        private final CountDownLatch ready;

        private final CountDownLatch begin = new CountDownLatch(1);
        private final int threadCount;
        private volatile Error wrong;
        private long start;

        Run(Target target, String job, int threadCount, double rate, double seconds) {
            this.threadCount = threadCount;
            ready = new CountDownLatch(threadCount);
            this.target = target;
            this.job = job;
            this.seconds = seconds;
            length = (long) (seconds * SECOND);
            arrivals = arrivals(rate, length);
            tallies = new Tally[(int) Math.ceil(seconds)];
            Arrays.setAll(tallies, second -> new Tally());
        }

        /** A Poisson process: independent arrivals, so the gaps are exponential. */
        private static long[] arrivals(double rate, long length) {
            Random random = new Random(SEED);
            List<Long> moments = new ArrayList<>();
            double moment = 0;
            while ((moment -= Math.log(1 - random.nextDouble()) / rate * SECOND) < length) {
                moments.add((long) moment);
            }
            return moments.stream().mapToLong(Long::longValue).toArray();
        }

        Map<String, Object> result() throws InterruptedException {
            Thread[] threads = new Thread[threadCount];
            Arrays.setAll(threads, number -> new Thread(this::work));
            for (Thread thread : threads) {
                thread.start();
            }
            ready.await();
            long processorBefore = SYSTEM.getProcessCpuTime();
            start = System.nanoTime();
            begin.countDown();
            for (Thread thread : threads) {
                thread.join();
            }
            if (wrong != null) {
                throw wrong;
            }
            int begun = Math.min(next.get(), arrivals.length);
            for (int number = begun; number < arrivals.length; number++) {
                tally(number).latencies.recordValue(length - arrivals[number]);
            }
            Map<String, Object> words = described(begun);
            words.put(
                    "driver_cores", (SYSTEM.getProcessCpuTime() - processorBefore) / 1e9 / seconds);
            return words;
        }

        private void work() {
            ready.countDown();
            try {
                begin.await();
            } catch (InterruptedException impossible) {
                throw new IllegalStateException(impossible);
            }
            while (wrong == null && System.nanoTime() < start + length) {
                int number = next.getAndIncrement();
                if (number >= arrivals.length) {
                    return;
                }
                await(start + arrivals[number]);
                request(number);
            }
        }

        private void await(long moment) {
            if (moment - System.nanoTime() > 0) {
                for (long left; (left = moment - System.nanoTime()) > 0; ) {
                    LockSupport.parkNanos(left);
                }
                lateness.recordValue(System.nanoTime() - moment);
            }
        }

        private void request(int number) {
            boolean isAnswered = false;
            try {
                target.request(job, number);
                isAnswered = true;
            } catch (WrongAnswer answer) {
                wrong = answer;
            } catch (IOException | RuntimeException error) {
                // Numbers differ from message to message: ports, times.
                String message = String.valueOf(error.getMessage()).replaceAll("[0-9]+", "#");
                errors.computeIfAbsent(message, first -> new AtomicInteger()).incrementAndGet();
            }
            long end = System.nanoTime() - start;
            tally(number).latencies.recordValue(end - arrivals[number]);
            if (!isAnswered) {
                tally(number).failed.incrementAndGet();
            } else if (end < length) {
                answeredInTime.incrementAndGet();
            }
        }

        private Tally tally(int number) {
            return tallies[(int) (arrivals[number] / SECOND)];
        }

        private Map<String, Object> described(int begun) {
            Tally all = new Tally();
            for (Tally tally : tallies) {
                all.latencies.add(tally.latencies);
                all.failed.addAndGet(tally.failed.get());
            }
            Map<String, Object> words = new LinkedHashMap<>();
            words.put("offered", arrivals.length / seconds);
            words.put("achieved", answeredInTime.get() / seconds);
            words.put("unserved", arrivals.length - begun);
            words.putAll(all.described());
            words.put("late_p99_us", lateness.getValueAtPercentile(99) / 1e3);
            words.put("errors", errors);
            words.put("percentiles_us", percentiles(all.latencies));
            words.put("seconds", Arrays.stream(tallies).map(Tally::described).toList());
            return words;
        }

        /** [percentile, microseconds]: two points for each halving of the distance to 100 %. */
        private static List<double[]> percentiles(Histogram latencies) {
            List<double[]> points = new ArrayList<>();
            for (HistogramIterationValue value : latencies.percentiles(2)) {
                points.add(
                        new double[] {
                            value.getPercentileLevelIteratedTo(), value.getValueIteratedTo() / 1e3
                        });
            }
            return points;
        }
    }
}
