package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.onehop.jedis.lab.Jvm;
import io.onehop.jedis.lab.Nodes;

import org.junit.jupiter.api.Test;

import redis.clients.jedis.AbstractTransaction;

import java.util.List;
import java.util.concurrent.Callable;

/**
 * A value that is too large for every node is refused before any part of it is sent. Otherwise the
 * node would close the connection, which looks as if the node were down.
 */
class HugeValuesTest {
    private static final String REFUSAL =
            "A key or value is larger than 512 MiB, the most a node takes, "
                    + "server pool alpha: the command was not sent; split it";
    private static final String REFUSED = "io.onehop.jedis.Unsupported: " + REFUSAL;

    @Test
    void aValueAbove512MiBIsRefusedUnsentAndNoNodeRestsForIt() {
        try (Nodes nodes = Nodes.start(2)) {
            List<String> said =
                    Jvm.outputOf(
                                    HugeProgram.class,
                                    List.of("-Xmx800m"),
                                    nodes.config(
                                            "timeout: 30000",
                                            "auto_eject_hosts: true",
                                            "server_failure_limit: 1"))
                            .lines()
                            .toList();
            assertEquals(
                    List.of(
                            REFUSED,
                            REFUSED,
                            REFUSED,
                            REFUSED,
                            REFUSED,
                            REFUSED,
                            "io.onehop.jedis.Unsupported: The transaction was discarded because one"
                                    + " of its calls was refused: "
                                    + REFUSAL,
                            "sent 0, [before]",
                            REFUSED,
                            "[before]",
                            "[before, before, before, before] [UP] errors 0"),
                    said);
        }
    }

    /**
     * Sends a value with one byte more than a node accepts, in all ways in which commands are sent.
     * All use the same array, because the heap is small. Prints the result of each way, and the
     * state of the nodes afterwards. A single failure would make a node rest.
     */
    static final class HugeProgram {
        private HugeProgram() {}

        public static void main(String[] config) {
            byte[] key = "key".getBytes();
            byte[] huge = new byte[(512 << 20) + 1];
            try (OneHopClient redis = Nodes.clientOf(config[0])) {
                redis.mset(
                        "key", "before", "other", "before", "third", "before", "fourth", "before");
                long sent = sent(redis);
                print(() -> redis.set(key, huge));
                print(() -> redis.get(huge));
                print(
                        () ->
                                redis.mset(
                                        key,
                                        huge,
                                        "other".getBytes(),
                                        key,
                                        "third".getBytes(),
                                        key));
                print(() -> redis.onEachNode(commands -> commands.set(key, huge)));
                OneHopPipeline pipeline = redis.pipelined();
                pipeline.get("key");
                print(() -> pipeline.set(key, huge));
                AbstractTransaction transaction = redis.multi();
                print(() -> transaction.set(key, huge));
                print(transaction::exec);
                System.out.println(
                        "sent " + (sent(redis) - sent) + ", " + pipeline.syncAndReturnAll());
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
}
