package io.onehop.cli;

import io.onehop.core.Node;
import io.onehop.core.base.Clock;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * What a node says of itself now, or why it says nothing.
 *
 * @param info its INFO; {@code null} if the node did not answer, or refuses INFO to this user
 * @param isThere true if the node answered
 * @param failure why there is no INFO; empty if there is
 * @param took how long the node's answer to PING took, over an open connection
 */
record NodeReading(
        Node node, @Nullable NodeInfo info, boolean isThere, String failure, Duration took) {
    private static final int AT_ONCE = 16;

    /** Readings of all nodes, in their order. Several nodes are asked at the same time. */
    static List<NodeReading> ofAll(AskedNodes nodes, List<Node> asked) {
        ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE, NodeReading::thread);
        try {
            return asked.stream()
                    .map(node -> CompletableFuture.supplyAsync(() -> of(nodes, node), threads))
                    .toList()
                    .stream()
                    .map(CompletableFuture::join)
                    .toList();
        } finally {
            threads.shutdownNow();
        }
    }

    /** A thread that does not keep the process alive. */
    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "onehop-reading");
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Sends PING. An error is an answer, too: a node that loads its file answers PING with an
     * error.
     */
    private static void ping(AskedNodes nodes, Node node) throws Refusal {
        try {
            nodes.ask(node, Object.class, Command.PING);
        } catch (JedisDataException answered) {
            // Only the time until the answer counts.
        }
    }

    private static NodeReading of(AskedNodes nodes, Node node) {
        try {
            NodeInfo info = NodeInfo.of(nodes.text(node, Command.INFO));
            long beganNs = Clock.nowNs();
            ping(nodes, node);
            Duration took = Duration.ofNanos(Clock.nowNs() - beganNs);
            return new NodeReading(node, info, true, "", took);
        } catch (JedisDataException refused) {
            String why = "refuses INFO, so this was not checked: " + refused.getMessage();
            return new NodeReading(node, null, true, Screen.plain(why), Duration.ZERO);
        } catch (Refusal | JedisException failure) {
            String why = Screen.plain(failure.getMessage());
            return new NodeReading(node, null, false, why, Duration.ZERO);
        }
    }
}
