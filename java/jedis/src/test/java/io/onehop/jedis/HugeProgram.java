package io.onehop.jedis;

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
        try (OneHopClient redis =
                OneHopClient.builder().configText(config[0]).pool("alpha").build()) {
            redis.mset("key", "before", "other", "before", "third", "before", "fourth", "before");
            long sent = sent(redis);
            tell(() -> redis.set(key, huge));
            tell(() -> redis.get(huge));
            tell(() -> redis.mset(key, huge, "other".getBytes(), key, "third".getBytes(), key));
            tell(() -> redis.onEachNode(commands -> commands.set(key, huge)));
            OneHopPipeline pipeline = redis.pipelined();
            pipeline.get("key");
            tell(() -> pipeline.set(key, huge));
            AbstractTransaction transaction = redis.multi();
            tell(() -> transaction.set(key, huge));
            tell(transaction::exec);
            System.out.println("sent " + (sent(redis) - sent) + ", " + pipeline.syncAndReturnAll());
            try (AbstractTransaction watching = redis.transaction(false)) {
                watching.watch("key");
                tell(() -> watching.set(key, huge));
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

    private static void tell(Callable<?> call) {
        try {
            System.out.println("no refusal: " + call.call());
        } catch (Exception thrown) {
            System.out.println(thrown);
        }
    }
}
