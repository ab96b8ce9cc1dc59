package io.onehop.core.placement;

import io.onehop.core.Hash;
import io.onehop.core.Node;
import io.onehop.core.config.Config;
import io.onehop.core.config.ConfigException;
import io.onehop.core.hash.HashFunction;
import io.onehop.core.topology.PoolTopology;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Compares placing a key with hashing it alone: keys of 20 bytes on eight equal ketama nodes, with
 * the buckets over the ring and with the binary search that they replace. It also measures how long
 * a ring of 1,000 servers takes to build.
 *
 * <p>It prints one row per hash function, and the ratios. Each figure is the best of a hundred
 * short iterations, so load of the machine has little effect. It is in core's package because it
 * uses package-private classes.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class PlacementBenchmark {
    private static final int KEYS = 1024;

    @Param({"fnv1a_64", "murmur", "md5"})
    public String hashName;

    private final byte[][] keys = new byte[KEYS][];
    private HashFunction hash;
    private PoolTopology topology;
    private int[] ring;
    private int[] owners;
    private List<Node> thousand;

    @Setup
    public void prepare() throws ConfigException {
        hash = HashFunction.named(Hash.named(hashName));
        topology = topology(8);
        Ranges ranges = Ketama.of(topology.nodes()).ring();
        ring =
                IntStream.range(0, ranges.count())
                        .map(i -> (int) ranges.endAt(i) ^ Integer.MIN_VALUE)
                        .toArray();
        owners = IntStream.range(0, ring.length).map(ranges::ownerAt).toArray();
        thousand = topology(1000).nodes();
        for (int i = 0; i < KEYS; i++) {
            String key = String.format("user:%010d:mail", i * 829_348_951L % 10_000_000_000L);
            keys[i] = key.getBytes(StandardCharsets.US_ASCII);
        }
    }

    private PoolTopology topology(int servers) throws ConfigException {
        StringBuilder text =
                new StringBuilder(
                        "p:\n  listen: 127.0.0.1:22121\n  hash: " + hashName + "\n  servers:\n");
        for (int i = 0; i < servers; i++) {
            text.append("  - 10.0.")
                    .append(i / 250)
                    .append('.')
                    .append(i % 250)
                    .append(":6379:1\n");
        }
        return PoolTopology.of(
                Config.parse(text.toString().getBytes(StandardCharsets.UTF_8)).pool("p"));
    }

    @Benchmark
    @OperationsPerInvocation(KEYS)
    public int hashAlone() {
        int sum = 0;
        for (byte[] key : keys) {
            sum += hash.of(key, 0, key.length);
        }
        return sum;
    }

    @Benchmark
    @OperationsPerInvocation(KEYS)
    public int hashAndLocate() {
        int sum = 0;
        for (byte[] key : keys) {
            sum += topology.locateIndex(key, 0, key.length);
        }
        return sum;
    }

    @Benchmark
    @OperationsPerInvocation(KEYS)
    public int hashAndBinarySearch() {
        int sum = 0;
        for (byte[] key : keys) {
            sum += owners[searched(hash.of(key, 0, key.length))];
        }
        return sum;
    }

    private int searched(int value) {
        int low = 0;
        int high = ring.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (ring[middle] < (value ^ Integer.MIN_VALUE)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low < ring.length ? low : 0;
    }

    @Benchmark
    @OutputTimeUnit(TimeUnit.MILLISECONDS)
    public Ketama ringOfThousandServers() {
        return Ketama.of(thousand);
    }

    /** Runs everything and prints the table. */
    public static void main(String[] arguments) throws RunnerException {
        Collection<RunResult> results =
                new Runner(
                                new OptionsBuilder()
                                        .include(PlacementBenchmark.class.getName())
                                        .forks(1)
                                        .warmupIterations(3)
                                        .warmupTime(TimeValue.seconds(1))
                                        .measurementIterations(100)
                                        .measurementTime(TimeValue.milliseconds(20))
                                        .verbosity(VerboseMode.SILENT)
                                        .build())
                        .run();
        System.out.println(
                "hash      alone        with locate  ratio  with binary search  ratio  ring of"
                        + " 1,000 servers");
        for (String hash : List.of("fnv1a_64", "murmur", "md5")) {
            double alone = score(results, "hashAlone", hash);
            double located = score(results, "hashAndLocate", hash);
            double searched = score(results, "hashAndBinarySearch", hash);
            System.out.printf(
                    "%-8s  %7.2f ns   %8.2f ns  %5.2f         %8.2f ns  %5.2f              %6.2f"
                            + " ms%n",
                    hash,
                    alone,
                    located,
                    located / alone,
                    searched,
                    searched / alone,
                    score(results, "ringOfThousandServers", hash));
        }
    }

    private static double score(Collection<RunResult> results, String benchmark, String hash) {
        return results.stream()
                .filter(result -> result.getParams().getBenchmark().endsWith("." + benchmark))
                .filter(result -> result.getParams().getParam("hashName").equals(hash))
                .findFirst()
                .orElseThrow()
                .getPrimaryResult()
                .getStatistics()
                .getMin();
    }
}
