package io.onehop.jedis;

import io.onehop.jedis.lab.Nodes;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Response;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A program that a node stops in the middle of a call. The keys name the process to stop. The
 * program prints the result of the call and the state of the first node. It has three arguments:
 * the configuration, which has a server pool alpha; what the keys begin with; and how many keys
 * there are. More than one key makes a batch.
 */
final class PausedProgram {

    private PausedProgram() {}

    public static void main(String[] arguments) {
        int count = Integer.parseInt(arguments[2]);
        try (OneHopClient redis = Nodes.clientOf(arguments[0])) {
            long pid = ProcessHandle.current().pid();
            // A cold JVM is slow.
            String before = Callers.answered(() -> values(redis, "key:" + pid, count));
            String meanwhile = stopped(redis, arguments[1] + pid, count);
            NodeStatus node = redis.status().nodes().get(0);
            System.out.println(
                    before
                            + "; "
                            + meanwhile
                            + "; "
                            + node.state()
                            + ", "
                            + node.failures()
                            + " failures counted; "
                            + values(redis, "key:" + pid, 1));
        }
    }

    private static String stopped(OneHopClient redis, String key, int count) {
        try {
            return key.startsWith(PauseTest.WRITTEN)
                    ? written(redis, key, count)
                    : values(redis, key, count);
        } catch (OneHopException failure) {
            return failure.getClass().getSimpleName();
        }
    }

    /** The values of the keys, each different value once. */
    private static String values(OneHopClient redis, String key, int count) {
        if (count == 1) {
            return told(redis.get(key));
        }
        try (AbstractPipeline batch = redis.pipelined()) {
            List<Response<String>> replies =
                    IntStream.range(0, count).mapToObj(i -> batch.get(key + ":" + i)).toList();
            batch.sync();
            Stream<String> values = replies.stream().map(reply -> told(reply.get())).distinct();
            return String.join(",", values.toList());
        }
    }

    private static String written(OneHopClient redis, String key, int count) {
        if (count == 1) {
            return redis.set(key.getBytes(), new byte[PauseTest.WRITTEN_BYTES]);
        }
        try (AbstractPipeline batch = redis.pipelined()) {
            String value = "x".repeat(PauseTest.BATCHED_BYTES);
            IntStream.range(0, count).forEach(i -> batch.set(key + ":" + i, value));
            batch.sync();
            return "well";
        }
    }

    private static String told(String value) {
        return value.equals(PauseTest.VALUE) ? "well" : value;
    }
}
