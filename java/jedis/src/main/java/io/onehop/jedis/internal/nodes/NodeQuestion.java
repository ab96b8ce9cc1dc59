package io.onehop.jedis.internal.nodes;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.Node;
import io.onehop.core.base.Limits;
import io.onehop.core.base.Message;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.connection.NodeConnection;
import io.onehop.jedis.internal.connection.Successor;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.pool.Holder;
import io.onehop.jedis.internal.pool.NodeHealth;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.pool.PoolSettings;
import io.onehop.jedis.internal.tls.ClientTls;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.exceptions.JedisDataException;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Asks one node what it knows of the other nodes. A question uses a connection of the node's pool,
 * if necessary beyond the size of the pool, because calls wait for the answer.
 */
final class NodeQuestion {
    private static final int REPLIES_BYTES_MAX =
            Limits.CLUSTER_REPLY_BYTES_MAX + Limits.CLUSTER_INFO_BYTES_MAX;

    /** The commands of a question, and what is made of their replies. */
    @FunctionalInterface
    interface Talk<T> {
        T with(NodeQuestion question) throws IOException;
    }

    private final Pool node;
    private final NodeConnection connection;

    private NodeQuestion(Pool node, NodeConnection connection) {
        this.node = node;
        this.connection = connection;
    }

    /** Pools that are used only for questions to these nodes. The caller closes them. */
    static List<Pool> pools(List<Node> nodes, ServerPool pool, ClientTls tls, String name) {
        List<Pool> asked = new ArrayList<>();
        for (Node node : nodes) {
            asked.add(new Pool(node, pool, tls, PoolSettings.STANDARD, null, null).named(name));
        }
        return asked;
    }

    /** What {@code talk} makes of the node's replies, within this time. */
    static <T> T ask(Pool node, int timeoutMs, Talk<T> talk) {
        Holder holder = new Holder();
        NodeConnection connection = null;
        try {
            connection = node.leaseBeyond(holder, Deadline.in(timeoutMs), NodeHealth.NOT_ASKED);
            connection.open(Successor.NONE);
            T answer = talk.with(new NodeQuestion(node, connection));
            node.answered(connection);
            return answer;
        } catch (IOException | RuntimeException failed) {
            OneHopException failure = failure(failed, node, connection);
            if (connection != null && !connection.isKeptAfter(failed)) {
                connection.disconnect();
            }
            node.failed(connection, failure);
            throw failure;
        } finally {
            settle(connection, holder, node);
        }
    }

    private static OneHopException failure(
            Exception failed, Pool node, @Nullable NodeConnection connection) {
        boolean wasOpen =
                connection != null && connection.wasOpen() && !connection.lease().isReadyLate();
        return Failure.of(
                failed,
                node.endpoint().nodeName(),
                wasOpen ? Outcome.MAYBE_EXECUTED : Outcome.NOT_SENT,
                wasOpen);
    }

    private static void settle(@Nullable NodeConnection connection, Holder holder, Pool node) {
        try {
            if (connection != null) {
                node.returnObject(connection);
            }
        } finally {
            holder.isOver = true; // Settling needs stack; this store does not.
        }
    }

    void send(CommandArguments command) {
        connection.sendCommand(command);
    }

    /**
     * The replies to the commands that were sent, in order. Throws if they are longer than any map.
     */
    List<Object> replies(int count) throws IOException {
        connection.getMany(0); // Jedis' public way to flush.
        if (!connection.awaitReplies(count, REPLIES_BYTES_MAX)) {
            throw Failure.of(
                    Message.MAP_REFUSED,
                    node.endpoint().nodeName(),
                    Outcome.MAYBE_EXECUTED,
                    null,
                    Message.MAP_TOO_LONG.what(Limits.CLUSTER_REPLY_BYTES_MAX));
        }
        List<Object> replies = connection.getMany(count);
        connection.requireSilence();
        return replies;
    }

    /* ---- The reply as it came: its judge reads bytes ---- */

    static byte[] wire(@Nullable Object reply) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        write(reply, bytes);
        return bytes.toByteArray();
    }

    private static void write(@Nullable Object reply, ByteArrayOutputStream to) {
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
