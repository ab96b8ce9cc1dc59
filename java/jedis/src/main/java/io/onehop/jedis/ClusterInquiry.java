package io.onehop.jedis;

import io.onehop.core.Clock;
import io.onehop.core.ClusterAnswer;
import io.onehop.core.ClusterException;
import io.onehop.core.ClusterMap;
import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.ServerPool;
import io.onehop.core.Topology;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * What two nodes of a Redis Cluster say of it, asked at once: CLUSTER INFO and CLUSTER SHARDS, or SLOTS where a server
 * is older than 7.0.
 *
 * <p>In: the pools of one node or two. Out: the better of their maps, as {@link ClusterMap} judges; or why there is
 * none. It has connections of the nodes' pools, if need be beyond their number, and threads of its own, one a node:
 * a node that hangs must not keep the other's answer. Implements spec/topology/cluster.md, section 1.
 */
final class ClusterInquiry {
    /* How long a server pool without a timeout waits for an answer, which nobody's call depends on. */
    private static final int PATIENCE_MS = 5000;

    private static final CommandArguments INFO = new CommandArguments(Command.CLUSTER).add("INFO");
    private static final CommandArguments SHARDS = new CommandArguments(Command.CLUSTER).add("SHARDS");
    private static final CommandArguments SLOTS = new CommandArguments(Command.CLUSTER).add("SLOTS");

    /** A map, or why there is none. */
    private record Answer(ClusterMap map, String refused) {
    }

    private final String zone;
    private final int timeoutMs;
    private String refused = "there is no answer";

    ClusterInquiry(ServerPool pool) {
        this.zone = pool.zone();
        this.timeoutMs = pool.timeoutMs() == 0 ? PATIENCE_MS : pool.timeoutMs();
    }

    /** The map to take in the place of {@code current}, which may be {@code null}; {@code null}: there is none. */
    ClusterMap ask(List<Pool> nodes, Topology current) throws InterruptedException {
        BlockingQueue<Answer> answers = new ArrayBlockingQueue<>(nodes.size());
        for (Pool node : nodes) {
            Thread thread = new Thread(() -> answers.add(asked(node)), "onehop-inquiry");
            thread.setDaemon(true);
            thread.start();
        }
        long beganNs = Clock.nowNs();
        ClusterMap first = null;
        ClusterMap second = null;
        long waitNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs) * 2;
        for (int i = 0; i < nodes.size(); i++) {
            Answer answer = answers.poll(waitNs, TimeUnit.NANOSECONDS);
            if (answer == null) {
                break;
            }
            if (answer.map() == null) {
                refused = answer.refused();
                continue;
            }
            if (first == null) {
                first = answer.map();
                waitNs = Clock.nowNs() - beganNs; // The other one may take as long once more.
            } else {
                second = answer.map();
            }
        }
        try {
            return first == null ? null : ClusterMap.choose(current, first, second);
        } catch (ClusterException unfit) {
            refused = unfit.reason();
            return null;
        }
    }

    /** Why the last one gave no map. */
    String refused() {
        return refused;
    }

    private Answer asked(Pool node) {
        try {
            return new Answer(map(node), null);
        } catch (ClusterException unfit) {
            return new Answer(null, node.endpoint() + ": " + unfit.reason());
        } catch (RuntimeException failed) {
            return new Answer(null, failed.getMessage());
        }
    }

    private ClusterMap map(Pool node) throws ClusterException {
        Deadline deadline = Deadline.in(timeoutMs);
        NodeConnection connection = null;
        try {
            connection = node.leaseBeyond(deadline, NodeHealth.NOT_ASKED);
            connection.open();
            connection.sendCommand(INFO);
            connection.sendCommand(SHARDS);
            List<Object> replies = connection.getMany(2);
            Object told = replies.get(1);
            if (told instanceof JedisDataException) {
                connection.sendCommand(SLOTS);
                told = connection.getMany(1).get(0);
            }
            node.answered(connection);
            return ClusterMap.read(new ClusterAnswer(wire(told), wire(replies.get(0)), node.endpoint().host(), false),
                    zone);
        } catch (IOException | RuntimeException failed) {
            OneHopException failure = Failure.of(failed, node.endpoint(),
                    Outcome.MAYBE_EXECUTED);
            if (connection != null) {
                connection.disconnect();
            }
            node.failed(connection, failure);
            throw failure;
        } finally {
            if (connection != null) {
                node.settle(connection);
            }
        }
    }

    /* ---- The reply as it came: what judges it reads bytes ---- */

    private static byte[] wire(Object reply) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        write(reply, bytes);
        return bytes.toByteArray();
    }

    private static void write(Object reply, ByteArrayOutputStream to) {
        if (reply instanceof List<?> list) {
            line(to, "*" + list.size());
            list.forEach(element -> write(element, to));
        } else if (reply instanceof byte[] text) {
            line(to, "$" + text.length);
            to.writeBytes(text);
            line(to, "");
        } else if (reply instanceof JedisDataException error) {
            line(to, "-" + error.getMessage());
        } else {
            line(to, reply == null ? "$-1" : ":" + reply);
        }
    }

    private static void line(ByteArrayOutputStream to, String text) {
        to.writeBytes((text + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
    }
}
