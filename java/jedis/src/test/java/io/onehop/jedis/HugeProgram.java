package io.onehop.jedis;

import io.onehop.jedis.lab.Nodes;

import redis.clients.jedis.AbstractTransaction;

import java.util.List;
import java.util.concurrent.Callable;

/**
 * Sends one byte more than any node accepts, in every way, from one array in a small heap. Prints
 * the result of each way, and of the nodes afterwards. A node rests after one failure.
 */
final class HugeProgram {
    private HugeProgram() {}

    public static void main(String[] config) {
        byte[] key = "key".getBytes();
        byte[] huge = new byte[(512 << 20) + 1];
        try (OneHopClient redis = Nodes.clientOf(config[0])) {
            redis.mset("key", "before", "other", "before", "third", "before", "fourth", "before");
            long sent = sent(redis);
            print(() -> redis.set(key, huge));
            print(() -> redis.get(huge));
            print(() -> redis.mset(key, huge, "other".getBytes(), key, "third".getBytes(), key));
            print(() -> redis.onEachNode(commands -> commands.set(key, huge)));
            OneHopPipeline pipeline = redis.pipelined();
            pipeline.get("key");
            print(() -> pipeline.set(key, huge));
            AbstractTransaction transaction = redis.multi();
            print(() -> transaction.set(key, huge));
            print(transaction::exec);
            System.out.println("sent " + (sent(redis) - sent) + ", " + pipeline.syncAndReturnAll());
            try (AbstractTransaction watching = redis.transaction(false)) {
                watching.watch("key");
                print(() -> watching.set(key, huge));
                watching.multi();
                watching.get("key");
                System.out.println(watching.exec());
            }
            List<NodeStatus> nodes = redis.status().nodes();
            System.out.println(
                    redis.mget("key", "other", "third", "fourth")
                            + " "
                            + nodes.stream().map(NodeStatus::state).distinct().toList()
                            + " errors "
                            + nodes.stream().mapToLong(NodeStatus::errors).sum());
        }
    }

    private static long sent(OneHopClient redis) {
        return redis.status().nodes().stream().mapToLong(NodeStatus::bytesSent).sum();
    }

    private static void print(Callable<?> call) {
        try {
            System.out.println("no refusal: " + call.call());
        } catch (Exception thrown) {
            System.out.println(thrown);
        }
    }
}
