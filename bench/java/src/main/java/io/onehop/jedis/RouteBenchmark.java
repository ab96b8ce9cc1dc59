package io.onehop.jedis;

import io.onehop.core.command.Command;
import io.onehop.jedis.internal.command.Commands;
import io.onehop.jedis.internal.command.Keys;
import io.onehop.jedis.internal.request.RoutedArguments;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.Pipeline;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * What routing a queued command costs: a thousand HGETs through Jedis' own pipeline to one server,
 * and through OneHop's to four.
 *
 * <p>Queueing is measured without servers: Jedis writes into a socket that discards everything.
 * Finding entry and node is measured by itself, and the whole batch with real servers. It prints
 * nanoseconds and allocated bytes for each command. Each time is the best of a hundred short
 * iterations, so load of the machine has little effect. It is in the client's package because it
 * uses package-private classes.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RouteBenchmark {
    private static final int COMMANDS = 1000;

    private final String[] keys =
            IntStream.range(0, COMMANDS).mapToObj(i -> "user:profile:" + i).toArray(String[]::new);
    private final List<RedisServer> servers = new ArrayList<>();
    private CommandArguments[] arguments;
    private Keys placement;
    private OneHopClient fleet;
    private Connection sink;
    private Connection alone;

    @Setup
    public void start() throws IOException, InterruptedException {
        StringBuilder config =
                new StringBuilder(
                        "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  hash: fnv1a_64\n"
                                + "  distribution: ketama\n  timeout: 5000\n  servers:\n");
        int port = 0;
        for (int i = 0; i < 5; i++) {
            servers.add(RedisServer.start());
            port = servers.get(i).port();
            config.append(i < 4 ? "    - 127.0.0.1:" + port + ":1\n" : "");
        }
        fleet = OneHopClient.builder().configText(config.toString()).pool("alpha").build();
        alone = new Connection(new HostAndPort("127.0.0.1", port));
        sink = new Connection((JedisSocketFactory) Swallowing::new);
        placement = new Keys(fleet.snapshots().newest().topology());
        RoutedArguments.Factory factory =
                new RoutedArguments.Factory(redis.clients.jedis.RedisProtocol.RESP2);
        arguments = new CommandArguments[COMMANDS];
        for (int i = 0; i < COMMANDS; i++) {
            arguments[i] = factory.hget(keys[i], "name").getArguments();
            fleet.hset(keys[i], "name", "a value of thirty-two bytes, so.");
            alone.executeCommand(factory.hset(keys[i], "name", "a value of thirty-two bytes, so."));
        }
    }

    @TearDown
    public void stop() {
        fleet.close();
        alone.close();
        servers.forEach(RedisServer::close);
    }

    /** A socket that discards everything and answers nothing. */
    private static final class Swallowing extends Socket {
        @Override
        public OutputStream getOutputStream() {
            return OutputStream.nullOutputStream();
        }

        @Override
        public InputStream getInputStream() {
            return InputStream.nullInputStream();
        }

        @Override
        public boolean isConnected() {
            return true;
        }

        @Override
        public boolean isBound() {
            return true;
        }
    }

    @Benchmark
    @OperationsPerInvocation(COMMANDS)
    public int route() {
        int sum = 0;
        for (CommandArguments each : arguments) {
            Command entry = Objects.requireNonNull(Commands.find(each, "alpha", false));
            sum += placement.onlyHome(entry, each);
        }
        return sum;
    }

    @Benchmark
    @OperationsPerInvocation(COMMANDS)
    public Object jedisQueues() {
        return queue(new Pipeline(sink));
    }

    @Benchmark
    @OperationsPerInvocation(COMMANDS)
    public Object oneHopQueues() {
        return queue(fleet.pipelined());
    }

    @Benchmark
    @OperationsPerInvocation(COMMANDS)
    public Object jedisBatch() {
        AbstractPipeline pipeline = new Pipeline(alone);
        queue(pipeline);
        pipeline.sync();
        return pipeline;
    }

    @Benchmark
    @OperationsPerInvocation(COMMANDS)
    public Object oneHopBatch() {
        AbstractPipeline pipeline = fleet.pipelined();
        queue(pipeline);
        pipeline.sync();
        return pipeline;
    }

    private Object queue(AbstractPipeline pipeline) {
        for (String key : keys) {
            pipeline.hget(key, "name");
        }
        return pipeline;
    }

    /** Runs everything and prints the table. */
    public static void main(String[] arguments) throws RunnerException {
        Collection<RunResult> results =
                new Runner(
                                new OptionsBuilder()
                                        .include(RouteBenchmark.class.getName())
                                        .forks(1)
                                        .warmupIterations(3)
                                        .warmupTime(TimeValue.seconds(1))
                                        .measurementIterations(100)
                                        .measurementTime(TimeValue.milliseconds(20))
                                        .addProfiler(GCProfiler.class)
                                        .verbosity(VerboseMode.SILENT)
                                        .build())
                        .run();
        System.out.println("one HGET of a thousand            time      allocated");
        for (String[] row :
                new String[][] {
                    {"route", "finding its entry and its node"},
                    {"jedisQueues", "queued in Jedis' pipeline"},
                    {"oneHopQueues", "queued in OneHop's"},
                    {"jedisBatch", "answered, Jedis and 1 server"},
                    {"oneHopBatch", "answered, OneHop and 4 servers"}
                }) {
            RunResult result =
                    results.stream()
                            .filter(each -> each.getParams().getBenchmark().endsWith("." + row[0]))
                            .findFirst()
                            .orElseThrow();
            System.out.printf(
                    "%-30s %6.1f ns  %6.1f bytes%n",
                    row[1],
                    result.getPrimaryResult().getStatistics().getMin(),
                    result.getSecondaryResults().entrySet().stream()
                            .filter(each -> each.getKey().endsWith("gc.alloc.rate.norm"))
                            .findFirst()
                            .orElseThrow()
                            .getValue()
                            .getStatistics()
                            .getPercentile(50));
        }
    }
}
