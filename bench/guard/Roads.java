/*
 * The roads of Java: `java -cp JAR Roads.java SAMPLES WARM_UP CONFIG CLUSTER_CONFIG`, where JAR is
 * the testee's, which contains OneHop and Jedis.
 *
 * Each road runs WARM_UP times, then SAMPLES times. For each road it prints a line: its name, and
 * the bytes that the calling thread allocated in each sample. For strace, a readlink() of
 * /guard/ROAD opens a sample and one of /guard/end closes it. Every value is compared after the
 * sample.
 */

import com.sun.management.ThreadMXBean;

import io.onehop.jedis.OneHopClient;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Response;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

public final class Roads {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final String[] ITEMS = keys("item:", 100);
    private static final int FEW = 20;
    private static final String[] USERS = keys("user:", 1000);
    private static final String[] TEXTS = keys("text:", 1000);

    private final int samples;
    private final int warmUp;

    public static void main(String[] arguments) {
        Roads roads = new Roads(Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]));
        OneHopClient nodes = client(arguments[2]);
        OneHopClient cluster = client(arguments[3]);
        List<String> values = prefixed("value of ", ITEMS);
        List<String> names = prefixed("name of ", USERS);
        List<String> texts = prefixed("text of ", TEXTS);
        write(nodes, ITEMS, values);
        write(cluster, TEXTS, texts);
        roads.run("set", () -> sets(nodes, values), Collections.nCopies(FEW, "OK"));
        roads.run("get", () -> gets(nodes), values.subList(0, FEW));
        roads.run("mget", () -> nodes.mget(ITEMS), values);
        roads.run("pipeline", () -> hgets(nodes), names);
        roads.run("cluster.pipeline", () -> hgets(cluster), names);
        roads.run("cluster.mget", () -> cluster.mget(TEXTS), texts);
        System.exit(0);
    }

    private Roads(int samples, int warmUp) {
        this.samples = samples;
        this.warmUp = warmUp;
    }

    private void run(String road, Supplier<List<String>> calls, List<String> expected) {
        StringBuilder line = new StringBuilder(road);
        for (int i = 0; i < warmUp; i++) {
            check(road, calls.get(), expected);
        }
        for (int i = 0; i < samples; i++) {
            mark(road);
            long before = THREADS.getCurrentThreadAllocatedBytes();
            List<String> found = calls.get();
            long after = THREADS.getCurrentThreadAllocatedBytes();
            mark("end");
            check(road, found, expected);
            line.append(' ').append(after - before);
        }
        System.out.println(line);
    }

    private static void write(OneHopClient redis, String[] keys, List<String> values) {
        for (int i = 0; i < keys.length; i++) {
            redis.set(keys[i], values.get(i));
        }
    }

    private static List<String> sets(OneHopClient redis, List<String> values) {
        List<String> answers = new ArrayList<>(FEW);
        for (int i = 0; i < FEW; i++) {
            answers.add(redis.set(ITEMS[i], values.get(i)));
        }
        return answers;
    }

    private static List<String> gets(OneHopClient redis) {
        List<String> values = new ArrayList<>(FEW);
        for (int i = 0; i < FEW; i++) {
            values.add(redis.get(ITEMS[i]));
        }
        return values;
    }

    private static List<String> hgets(OneHopClient redis) {
        List<Response<String>> responses = new ArrayList<>(USERS.length);
        try (AbstractPipeline pipeline = redis.pipelined()) {
            for (String key : USERS) {
                responses.add(pipeline.hget(key, "name"));
            }
            pipeline.sync();
        }
        List<String> values = new ArrayList<>(USERS.length);
        for (Response<String> response : responses) {
            values.add(response.get());
        }
        return values;
    }

    private static void mark(String name) {
        try {
            Files.readSymbolicLink(Path.of("/guard/" + name));
        } catch (IOException expected) {
            return; // There is no such link; only the call matters.
        }
    }

    private static void check(String road, List<String> found, List<String> expected) {
        if (!found.equals(expected)) {
            throw new IllegalStateException(road + ": a value is wrong");
        }
    }

    private static OneHopClient client(String config) {
        return OneHopClient.builder().config(Path.of(config)).pool("alpha").build();
    }

    private static String[] keys(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i).toArray(String[]::new);
    }

    private static List<String> prefixed(String prefix, String[] keys) {
        return Stream.of(keys).map(prefix::concat).toList();
    }
}
