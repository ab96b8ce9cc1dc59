package io.onehop.jedis;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.Response;
import redis.clients.jedis.UnifiedJedis;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * What OneHop costs if there is nothing to shard: the same calls to one real server, compared with
 * Jedis' own RedisClient.
 *
 * <p>Both take turns of some tens of milliseconds in one JVM. Bytes are what the calling thread
 * allocated, exactly. CPU is that thread's time in program and kernel, which depends less than
 * elapsed time on other load of the machine. Each ratio is the median of the ratios of all rounds.
 * Arguments: the jobs to run; without any, all of them.
 */
public final class NodeBenchmark {
    private static final int ROUNDS = Integer.getInteger("rounds", 21);
    private static final long ROUND_NS = Long.getLong("roundMs", 40) * 1_000_000;
    private static final long WARM_NS = Long.getLong("warmMs", 5000) * 1_000_000;
    private static final long THREADS_NS = 400_000_000;
    private static final int POOL_SIZE = 16;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private static volatile Object sink;

    private NodeBenchmark() {}

    /** Runs and prints the table. */
    public static void main(String[] wanted) throws Exception {
        try (RedisServer server = RedisServer.start();
                OneHopClient ours =
                        OneHopClient.builder()
                                .pool("alpha")
                                .configText(
                                        "alpha:\n"
                                                + "  listen: 127.0.0.1:1\n"
                                                + "  redis: true\n"
                                                + "  hash: fnv1a_64\n"
                                                + "  distribution: ketama\n"
                                                + "  timeout: 2000\n"
                                                + "  pool_size: "
                                                + POOL_SIZE
                                                + "\n  servers:\n    - 127.0.0.1:"
                                                + server.port()
                                                + ":1\n")
                                .build();
                RedisClient theirs =
                        RedisClient.builder()
                                .hostAndPort("127.0.0.1", server.port())
                                .poolConfig(poolConfig())
                                .clientConfig(
                                        DefaultJedisClientConfig.builder()
                                                .protocol(RedisProtocol.RESP2)
                                                .build())
                                .build()) {
            fill(theirs);
            System.out.println(
                    "one call, OneHop / Jedis       bytes              ratio   CPU us      ratio  "
                            + " time us     ratio");
            for (Map.Entry<String, Function<UnifiedJedis, Object>> job : jobs().entrySet()) {
                if (wanted.length == 0 || Arrays.asList(wanted).contains(job.getKey())) {
                    compare(job.getKey(), job.getValue(), ours, theirs);
                }
            }
            System.out.println(
                    "\n"
                        + "GETs of threads, OneHop / Jedis    calls a second   ratio    CPU us of"
                        + " the process  ratio");
            for (int count : new int[] {1, 8, 64, 200}) {
                if (wanted.length == 0 || Arrays.asList(wanted).contains("threads-" + count)) {
                    compare(count, ours, theirs);
                }
            }
        }
    }

    private static ConnectionPoolConfig poolConfig() {
        ConnectionPoolConfig config = new ConnectionPoolConfig();
        config.setMaxTotal(POOL_SIZE);
        config.setMaxIdle(POOL_SIZE);
        return config;
    }

    /* ---- The jobs ---- */

    private static final String VALUE = "a value of thirty-two bytes, so.";

    private static void fill(UnifiedJedis redis) {
        redis.set("key:0", VALUE);
        for (int i = 0; i < 1000; i++) {
            redis.set("key:" + i, VALUE);
            redis.hset("hash", "field:" + i % 20, VALUE);
            redis.hset("user:" + i, "name", VALUE);
        }
        for (int i = 0; i < 100; i++) {
            redis.rpush("list", VALUE);
        }
    }

    private static Map<String, Function<UnifiedJedis, Object>> jobs() {
        String[] ten = keys(10);
        String[] thousand = keys(1000);
        Map<String, Function<UnifiedJedis, Object>> jobs = new LinkedHashMap<>();
        jobs.put("get", redis -> redis.get("key:0"));
        jobs.put("set", redis -> redis.set("key:0", VALUE));
        jobs.put("hget", redis -> redis.hget("user:1", "name"));
        jobs.put("hgetAll-20", redis -> redis.hgetAll("hash"));
        jobs.put("lrange-100", redis -> redis.lrange("list", 0, -1));
        jobs.put("mget-10", redis -> redis.mget(ten));
        jobs.put("mget-1000", redis -> redis.mget(thousand));
        jobs.put("pipeline-10", redis -> pipeline(redis, 10));
        jobs.put("pipeline-100", redis -> pipeline(redis, 100));
        jobs.put("pipeline-1000", redis -> pipeline(redis, 1000));
        jobs.put("multi-10", NodeBenchmark::transaction);
        return jobs;
    }

    private static String[] keys(int count) {
        return IntStream.range(0, count).mapToObj(i -> "key:" + i).toArray(String[]::new);
    }

    private static Object pipeline(UnifiedJedis redis, int count) {
        try (AbstractPipeline pipeline = redis.pipelined()) {
            Response<String> last = null;
            for (int i = 0; i < count; i++) {
                last = pipeline.hget("user:1", "name");
            }
            pipeline.sync();
            return last.get();
        }
    }

    private static Object transaction(UnifiedJedis redis) {
        try (AbstractTransaction transaction = redis.multi()) {
            for (int i = 0; i < 10; i++) {
                transaction.incr("counter");
            }
            return transaction.exec();
        }
    }

    /* ---- One thread ---- */

    private record Cost(double bytes, double cpuUs, double us) {}

    private static Cost round(Function<UnifiedJedis, Object> job, UnifiedJedis client, long calls) {
        long id = Thread.currentThread().getId();
        long bytes = THREADS.getThreadAllocatedBytes(id);
        long cpu = THREADS.getCurrentThreadCpuTime();
        long began = System.nanoTime();
        for (long i = 0; i < calls; i++) {
            sink = job.apply(client);
        }
        double us = (System.nanoTime() - began) / 1e3 / calls;
        double cpuUs = (THREADS.getCurrentThreadCpuTime() - cpu) / 1e3 / calls;
        return new Cost((THREADS.getThreadAllocatedBytes(id) - bytes) / (double) calls, cpuUs, us);
    }

    private static void compare(
            String name,
            Function<UnifiedJedis, Object> job,
            UnifiedJedis ours,
            UnifiedJedis theirs) {
        long calls = 0;
        long began = System.nanoTime();
        while (System.nanoTime() - began < WARM_NS) {
            round(job, theirs, 10);
            round(job, ours, 10);
            calls += 20;
        }
        calls = Math.max(10, calls * ROUND_NS / WARM_NS);
        List<Cost> our = new ArrayList<>();
        List<Cost> their = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            if (i % 2 == 0) {
                our.add(round(job, ours, calls));
            }
            their.add(round(job, theirs, calls));
            if (i % 2 == 1) {
                our.add(round(job, ours, calls));
            }
        }
        System.out.printf(
                "%-24s %9.0f %9.0f  %6.3f  %6.1f %6.1f  %5.2f  %6.1f %6.1f  %5.2f%n",
                name,
                median(our, Cost::bytes),
                median(their, Cost::bytes),
                ratio(our, their, Cost::bytes),
                median(our, Cost::cpuUs),
                median(their, Cost::cpuUs),
                ratio(our, their, Cost::cpuUs),
                median(our, Cost::us),
                median(their, Cost::us),
                ratio(our, their, Cost::us));
    }

    private static double median(List<Cost> costs, Function<Cost, Double> figure) {
        return costs.stream().mapToDouble(figure::apply).sorted().toArray()[costs.size() / 2];
    }

    private static double ratio(List<Cost> our, List<Cost> their, Function<Cost, Double> figure) {
        return IntStream.range(0, our.size())
                .mapToDouble(i -> figure.apply(our.get(i)) / figure.apply(their.get(i)))
                .sorted()
                .toArray()[our.size() / 2];
    }

    /* ---- Several threads ---- */

    private static void compare(int threads, UnifiedJedis ours, UnifiedJedis theirs)
            throws InterruptedException {
        gets(threads, theirs);
        gets(threads, ours);
        double[][] our = new double[ROUNDS][];
        double[][] their = new double[ROUNDS][];
        for (int i = 0; i < ROUNDS; i++) {
            if (i % 2 == 0) {
                our[i] = gets(threads, ours);
            }
            their[i] = gets(threads, theirs);
            if (i % 2 == 1) {
                our[i] = gets(threads, ours);
            }
        }
        System.out.printf(
                "%-30d %8.0f %8.0f  %5.3f  %8.2f %8.2f  %8.3f%n",
                threads,
                median(our, 0),
                median(their, 0),
                ratio(our, their, 0),
                median(our, 1),
                median(their, 1),
                ratio(our, their, 1));
    }

    private static double median(double[][] figures, int figure) {
        return Arrays.stream(figures)
                .mapToDouble(each -> each[figure])
                .sorted()
                .toArray()[figures.length / 2];
    }

    private static double ratio(double[][] our, double[][] their, int figure) {
        return IntStream.range(0, our.length)
                .mapToDouble(i -> our[i][figure] / their[i][figure])
                .sorted()
                .toArray()[our.length / 2];
    }

    /** GETs a second, and what the process spent on each. */
    private static double[] gets(int threads, UnifiedJedis client) throws InterruptedException {
        AtomicBoolean isOver = new AtomicBoolean();
        LongAdder calls = new LongAdder();
        CountDownLatch ready = new CountDownLatch(threads);
        CountDownLatch go = new CountDownLatch(1);
        List<Thread> workers =
                IntStream.range(0, threads)
                        .mapToObj(
                                i ->
                                        new Thread(
                                                () -> {
                                                    ready.countDown();
                                                    try {
                                                        go.await();
                                                        long mine = 0;
                                                        while (!isOver.get()) {
                                                            client.get("key:0");
                                                            mine++;
                                                        }
                                                        calls.add(mine);
                                                    } catch (InterruptedException ended) {
                                                        Thread.currentThread().interrupt();
                                                    }
                                                }))
                        .toList();
        workers.forEach(Thread::start);
        ready.await();
        long cpu = SYSTEM.getProcessCpuTime();
        long began = System.nanoTime();
        go.countDown();
        Thread.sleep(THREADS_NS / 1_000_000);
        isOver.set(true);
        for (Thread worker : workers) {
            worker.join();
        }
        double seconds = (System.nanoTime() - began) / 1e9;
        return new double[] {
            calls.sum() / seconds, (SYSTEM.getProcessCpuTime() - cpu) / 1e3 / calls.sum()
        };
    }
}
