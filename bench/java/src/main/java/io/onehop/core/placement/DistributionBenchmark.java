package io.onehop.core.placement;

import io.onehop.core.config.Config;
import io.onehop.core.config.ConfigException;
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
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * Places keys of 20 bytes on eight equal servers, under the distributions of other clients and
 * under ketama. It prints one row for each distribution and hash. Each figure is the best of fifty
 * short iterations.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class DistributionBenchmark {
    private static final int KEYS = 1024;
    private static final int SERVERS = 8;

    @Param({
        "ketama fnv1a_64",
        "ketama md5",
        "ketama crc32a",
        "redis_array crc32a",
        "redis_array md5",
        "redis_array crc32b",
        "redis_array_consistent crc32a",
        "redis_array_consistent md5",
        "sharded_jedis murmur64a",
        "sharded_jedis md5",
        "sharded_jedis_2_9 murmur64a",
        "jedis_sharding murmur64a",
        "predis_hashring crc32a",
        "libmemcached_consistent one_at_a_time",
        "libmemcached_consistent md5",
        "spymemcached md5",
        "codis crc32a"
    })
    public String row;

    private final byte[][] keys = new byte[KEYS][];
    private PoolTopology topology;

    @Setup
    public void prepare() throws ConfigException {
        String[] words = row.split(" ");
        StringBuilder text = new StringBuilder("p:\n  engine: redis\n  distribution: ");
        text.append(words[0]).append("\n  hash: ").append(words[1]).append("\n  servers:\n");
        int slots = Foreign.SLOTS / SERVERS;
        for (int i = 0; i < SERVERS; i++) {
            String weight = i * slots + "-" + (i * slots + slots - 1);
            text.append("  - 10.0.0.").append(i).append(":6379:");
            text.append(words[0].equals("codis") ? weight : "1").append('\n');
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        topology = PoolTopology.of(Config.parse(bytes).pool("p"));
        for (int i = 0; i < KEYS; i++) {
            String key = String.format("user:%010d:mail", i * 829_348_951L % 10_000_000_000L);
            keys[i] = key.getBytes(StandardCharsets.US_ASCII);
        }
    }

    @Benchmark
    @OperationsPerInvocation(KEYS)
    public int locate() {
        int sum = 0;
        for (byte[] key : keys) {
            sum += topology.locateIndex(key, 0, key.length);
        }
        return sum;
    }

    /** Runs everything and prints the table. */
    public static void main(String[] arguments) throws RunnerException {
        System.out.println("distribution and hash                   ns a key  million a second");
        new Runner(
                        new OptionsBuilder()
                                .include(DistributionBenchmark.class.getName())
                                .forks(1)
                                .warmupIterations(2)
                                .warmupTime(TimeValue.milliseconds(500))
                                .measurementIterations(50)
                                .measurementTime(TimeValue.milliseconds(20))
                                .verbosity(VerboseMode.SILENT)
                                .build())
                .run().stream()
                        .forEach(
                                result -> {
                                    String row = result.getParams().getParam("row");
                                    double ns = result.getPrimaryResult().getStatistics().getMin();
                                    System.out.printf("%-38s %8.1f %10.1f%n", row, ns, 1e3 / ns);
                                });
    }
}
