package io.onehop.bench;

import io.onehop.bench.Worker.Batch;
import io.onehop.bench.Worker.Contestant;
import io.onehop.bench.Worker.Job;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.ThreadParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The jobs of bench/jobs.py in JMH: forks, its statistics, and the bytes that a call allocates.
 *
 * <p>One operation is the job with one batch of keys. All threads share one client, and each has
 * batches of its own. The values are written and read before the first iteration, and the last
 * batch of every iteration is compared; a wrong value fails the run. `del` writes its keys before
 * each operation: the time for this does not count, but the allocated bytes do.
 *
 * <p>`main` takes the options of JMH. It starts the servers with bench/jobs.py, and stops them.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class JobBenchmark {
    /** Values above this many bytes would fill the memory if there were 10,000. */
    private static final int SMALL_BYTES = 256;

    @Param({"java.onehop", "java.one", "java.proxy.15", "java.onehop.cluster", "java.cluster"})
    public String contestant;

    @Param({"get", "set", "hget", "mget", "mset", "del"})
    public String job;

    @Param("100")
    public int keys;

    @Param("32")
    public int bytes;

    private Job measured;
    private Contestant client;
    private List<Batch> batches;

    @Setup
    public void open() throws IOException {
        Rivals.register();
        Worker worker = new Worker(Files.readAllLines(Path.of(System.getProperty("plan"))));
        measured = Job.valueOf(job.toUpperCase());
        batches = worker.batches(measured, keys, bytes, bytes <= SMALL_BYTES ? 10_000 : 1000);
        client = worker.connect(contestant);
        for (Batch batch : batches) {
            if (measured == Job.HGET) {
                client.hset(batch.keys());
                measured.check(client, batch, client.hget(batch.keys()));
            } else {
                client.mset(batch.pairs());
                Job.MGET.check(client, batch, client.mget(batch.keys()));
            }
        }
    }

    @TearDown
    public void close() {
        client.close();
    }

    /** The batches of one thread, which no other thread uses. */
    @State(Scope.Thread)
    public static class Turn {
        private List<Batch> batches;
        private int next;
        private Batch batch;
        private Object result;

        @Setup
        public void share(JobBenchmark all, ThreadParams thread) {
            int count = all.batches.size() / thread.getThreadCount();
            if (count == 0) {
                throw new IllegalArgumentException(
                        "more threads than batches of keys: " + all.batches.size());
            }
            int first = thread.getThreadIndex() * count;
            batches = all.batches.subList(first, first + count);
        }

        @Setup(Level.Invocation)
        public void take(JobBenchmark all) {
            batch = batches.get(next++ % batches.size());
            all.measured.prepare(all.client, batch);
        }

        @TearDown(Level.Iteration)
        public void check(JobBenchmark all) {
            all.measured.check(all.client, batch, result);
        }
    }

    @Benchmark
    public Object run(Turn turn) {
        return turn.result = measured.run(client, turn.batch);
    }

    /* ---- The servers ---- */

    /** Runs what the options say, with the servers of bench/jobs.py. */
    public static void main(String[] options)
            throws IOException, InterruptedException, CommandLineOptionException, RunnerException {
        Path plan = Files.createTempDirectory("onehop-bench").resolve("plan");
        Process servers =
                new ProcessBuilder("/usr/bin/python3", "bench/jobs.py", "--serve", plan.toString())
                        .inheritIO()
                        .start();
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
        try {
            while (!Files.exists(plan)) {
                if (servers.waitFor(100, TimeUnit.MILLISECONDS)) {
                    throw new IllegalStateException("bench/jobs.py has not started the servers");
                }
            }
            clock.scheduleAtFixedRate(() -> touch(plan), 10, 10, TimeUnit.SECONDS);
            new Runner(
                            new OptionsBuilder()
                                    .parent(new CommandLineOptions(options))
                                    .include(JobBenchmark.class.getName())
                                    .addProfiler(GCProfiler.class)
                                    .shouldFailOnError(true)
                                    .jvmArgsAppend("-Dplan=" + plan)
                                    .build())
                    .run();
        } finally {
            clock.shutdownNow();
            Files.deleteIfExists(plan);
            servers.waitFor();
            Files.deleteIfExists(plan.getParent());
        }
    }

    /** The servers end if nobody has touched their plan for a minute. */
    private static void touch(Path plan) {
        try {
            Files.setLastModifiedTime(plan, FileTime.from(Instant.now()));
        } catch (IOException gone) {
            throw new IllegalStateException(gone);
        }
    }
}
