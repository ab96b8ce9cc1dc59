package io.onehop.jedis.internal.failure;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.base.Limits;
import io.onehop.core.wire.WireException;
import io.onehop.jedis.ConfigInvalid;
import io.onehop.jedis.DeadlineExceeded;
import io.onehop.jedis.NodeDown;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.PartialBatch;
import io.onehop.jedis.PoolExhausted;
import io.onehop.jedis.ProtocolViolation;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Turns what was thrown beneath into the exception that the caller sees: kind, node, outcome, and a
 * sentence that says what to do.
 *
 * <p>In: what Java or Jedis threw, and how far the command got. Out: a {@link OneHopException}.
 * Every message has the same form. Text of a server is escaped and cut, and a password is never
 * part of a message. Implements spec/errors.json.
 */
public final class Failure {

    /* A message names this many nodes, then counts the rest. */
    private static final int NAMES_MAX = 3;

    private Failure() {}

    /** The failure of an exchange with a node, or of what precedes it. */
    public static OneHopException of(Throwable thrown, NodeName node, Outcome outcome) {
        if (thrown instanceof OneHopException known) {
            return known;
        }
        return ofTransport(thrown, root(thrown), node, outcome);
    }

    private static OneHopException ofTransport(
            Throwable thrown, Throwable root, NodeName node, Outcome outcome) {
        if (root instanceof Unresolved) {
            String late = "the name was not resolved within " + node.pool().timeoutMs() + " ms";
            return new DeadlineExceeded(
                    message(late, node, outcome, "check the name and the resolver"),
                    node.name(),
                    outcome,
                    thrown);
        }
        if (root instanceof SocketTimeoutException) {
            String late = "the timeout of " + node.pool().timeoutMs() + " ms passed";
            return new DeadlineExceeded(
                    message(late, node, outcome, "see whether the node hangs, or raise timeout"),
                    node.name(),
                    outcome,
                    thrown);
        }
        if (root instanceof InterruptedIOException || root instanceof InterruptedException) {
            return new DeadlineExceeded(
                    message(
                            "the calling thread was interrupted",
                            node,
                            outcome,
                            "find out who interrupts it"),
                    node.name(),
                    outcome,
                    thrown);
        }
        if (root instanceof IOException lost && !(root instanceof WireException)) {
            return nodeDown(Shown.of(why(lost)), "bring the node back", thrown, node, outcome);
        }
        String what = root instanceof WireException ? root.getMessage() : root.toString();
        return new ProtocolViolation(
                message(
                        "the node did not speak the protocol: " + Shown.of(what),
                        node,
                        outcome,
                        "see what listens at this address"),
                node.name(),
                outcome,
                thrown);
    }

    private static NodeDown nodeDown(
            String what, String advice, Throwable thrown, NodeName node, Outcome outcome) {
        return new NodeDown(message(what, node, outcome, advice), node.name(), outcome, thrown);
    }

    private static String why(IOException root) {
        String text = root.getMessage();
        return root instanceof UnknownHostException
                ? "the name does not resolve: " + text
                : text == null
                        ? "the connection was lost: " + root.getClass().getSimpleName()
                        : text;
    }

    /** The first cause that says what happened. Jedis wraps it, some of it twice. */
    public static Throwable root(Throwable thrown) {
        Throwable root = thrown;
        while (root.getCause() != null && !(root instanceof IOException)) {
            root = root.getCause();
        }
        return root;
    }

    /** No connection to the node became free. */
    public static PoolExhausted exhausted(NodeName node) {
        String busy =
                "all " + node.pool().poolSize() + " connections stayed in use until the deadline";
        return new PoolExhausted(
                message(
                        busy,
                        node,
                        Outcome.NOT_SENT,
                        "raise pool_size, or use connections for a shorter time"),
                node.name(),
                Outcome.NOT_SENT,
                null);
    }

    /**
     * The node was not asked, because it rests after that many failures in a row; {@code last} is
     * the last one.
     */
    public static NodeDown resting(NodeName node, int failures, long ms, OneHopException last) {
        String why = last == null ? "" : ": " + reason(last);
        // Varying numbers come last, so logs can be grouped by the beginning.
        String numbers =
                " ("
                        + ms
                        + " ms more, after "
                        + failures
                        + (failures == 1 ? " failure" : " failures")
                        + " in a row)";
        return nodeDown(
                "the node rests" + why,
                "try again later, or bring the node back" + numbers,
                last,
                node,
                Outcome.NOT_SENT);
    }

    /** What has happened, by a failure of this node, without where and what to do. */
    public static String what(RuntimeException failure, NodeName node) {
        String message =
                failure instanceof OneHopException
                        ? failure.getMessage()
                        : Shown.of(failure.toString());
        int where = message.indexOf(", " + node);
        return where < 0 ? message : message.substring(0, where);
    }

    /** The same for what was thrown beneath. */
    public static String reason(OneHopException failure) {
        Throwable root = root(failure);
        return Shown.of(
                root instanceof Unresolved
                        ? root.getMessage()
                        : root instanceof SocketTimeoutException
                                ? "no answer in time"
                                : root instanceof IOException lost ? why(lost) : root.toString());
    }

    /** The client is closed. */
    public static NodeDown closed(NodeName node) {
        return nodeDown(
                "this client was closed", "build another one", null, node, Outcome.NOT_SENT);
    }

    /** Messages of the channel are published elsewhere from now on. */
    public static NodeDown moved(byte[] channel, NodeName node) {
        return nodeDown(
                "since the configuration changed \""
                        + Shown.of(channel, Limits.SHOWN_BYTES_MAX)
                        + "\" is no longer here alone",
                "subscribe again",
                null,
                node,
                Outcome.ANSWERED);
    }

    /** The slot of a sharded channel belongs to another node. */
    public static NodeDown slotMoved(byte[] channel, NodeName node) {
        return nodeDown(
                "the slot of \""
                        + Shown.of(channel, Limits.SHOWN_BYTES_MAX)
                        + "\" is another node's now",
                "subscribe again",
                null,
                node,
                Outcome.ANSWERED);
    }

    /** The node rejects a value of the configuration. */
    public static ConfigInvalid rejected(String what, String answer, NodeName node) {
        return new ConfigInvalid(
                message(
                        what + ": " + Shown.of(answer),
                        node,
                        Outcome.NOT_SENT,
                        "correct the server pool's configuration"),
                node.name(),
                Outcome.NOT_SENT,
                null);
    }

    /** The configuration does not say that the nodes are a Redis Cluster. */
    public static ConfigInvalid ofCluster(String answer, NodeName node) {
        return new ConfigInvalid(
                message(
                        "the node belongs to a Redis Cluster: it answered " + Shown.of(answer),
                        node,
                        Outcome.ANSWERED,
                        "set \"cluster: true\" in the server pool"),
                node.name(),
                Outcome.ANSWERED,
                null);
    }

    /**
     * No node of a Redis Cluster is left to send the command to: why, and the last node's answer.
     */
    public static NodeDown redirected(String reason, String answer, NodeName node) {
        return nodeDown(
                "the cluster cannot serve this now: "
                        + reason
                        + " (it said \""
                        + Shown.of(answer)
                        + "\")",
                "try again",
                null,
                node,
                Outcome.ANSWERED);
    }

    /** Only a replica may answer, and there is none. */
    public static NodeDown withoutReplica(NodeName master) {
        return nodeDown(
                "it has no replica that could answer",
                "give it one, or set \"read_from: prefer_replica\"",
                null,
                master,
                Outcome.NOT_SENT);
    }

    /** No node has returned the map yet. */
    public static OneHopException unmapped(RefreshFailure refused, String pool) {
        String what =
                "no node tells what the cluster looks like: "
                        + refused.reason()
                        + ", server pool "
                        + Shown.of(pool)
                        + ": "
                        + Outcome.NOT_SENT.phrase()
                        + "; ";
        String unreachable = what + "check that the servers run and can be reached";
        return switch (refused.kind()) {
            case CONFIG_INVALID ->
                    new ConfigInvalid(
                            what + "correct the servers of the server pool, or how it signs in",
                            null,
                            Outcome.NOT_SENT,
                            null);
            case PROTOCOL_VIOLATION ->
                    new ProtocolViolation(
                            what + "check the nodes of the cluster", null, Outcome.NOT_SENT, null);
            case DEADLINE_EXCEEDED ->
                    new DeadlineExceeded(unreachable, null, Outcome.NOT_SENT, null);
            default -> new NodeDown(unreachable, null, Outcome.NOT_SENT, null);
        };
    }

    /** The node answered and refused the connection. */
    public static NodeDown turnedAway(String answer, NodeName node) {
        return nodeDown(
                "the node turned the connection away: " + Shown.of(answer),
                "give the node room for more clients",
                null,
                node,
                Outcome.NOT_SENT);
    }

    /**
     * The failure of a batch in which these nodes failed. If nothing arrived, it is one node's: the
     * first that leaves open whether something was executed, or else the first.
     */
    public static OneHopException ofBatch(
            Map<String, OneHopException> failures,
            boolean hasArrived,
            String pool,
            List<Object> replies) {
        if (!hasArrived) {
            return failures.values().stream()
                    .filter(OneHopException::mayHaveExecuted)
                    .findFirst()
                    .orElseGet(failures.values().iterator()::next);
        }
        String names =
                failures.keySet().stream()
                        .limit(NAMES_MAX)
                        .map(Shown::of)
                        .collect(Collectors.joining(", "));
        String more =
                failures.size() > NAMES_MAX
                        ? " and " + (failures.size() - NAMES_MAX) + " more"
                        : "";
        return new PartialBatch(
                "a part of the batch did not come back, node "
                        + names
                        + more
                        + ", server pool "
                        + Shown.of(pool)
                        + ": the other commands were answered; getReplies() has their replies,"
                        + " getFailures() says of each node that failed whether its commands may"
                        + " have executed",
                replies,
                failures);
    }

    private static String message(String what, NodeName node, Outcome outcome, String advice) {
        return what + ", " + node + ": " + outcome.phrase() + "; " + advice;
    }
}
