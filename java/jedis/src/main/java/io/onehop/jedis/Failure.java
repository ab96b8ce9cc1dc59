package io.onehop.jedis;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.Limits;
import io.onehop.core.wire.WireException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Turns what went wrong beneath into the exception the caller sees: kind, node, outcome, and a sentence that says what
 * to do.
 *
 * <p>In: what Java or Jedis threw, and how far the command got. Out: a {@link OneHopException}. Every message has the
 * same form. Text of a server is escaped and cut; a password never enters a message. Implements spec/errors.json.
 */
final class Failure {

    /* How many nodes a message names before it counts. */
    private static final int NAMES_MAX = 3;

    private Failure() {
    }

    /** The failure of an exchange with a node, or of the way to it. */
    static OneHopException of(Throwable thrown, Endpoint endpoint, Outcome outcome) {
        if (thrown instanceof OneHopException known) {
            return known;
        }
        return ofTransport(thrown, root(thrown), endpoint, outcome);
    }

    private static OneHopException ofTransport(Throwable thrown, Throwable root, Endpoint endpoint, Outcome outcome) {
        if (root instanceof Endpoint.Unresolved) {
            String late = "the name was not resolved within " + endpoint.timeoutMs() + " ms";
            return new DeadlineExceeded(message(late, endpoint, outcome, "check the name and the resolver"),
                    endpoint.name(), outcome, thrown);
        }
        if (root instanceof SocketTimeoutException) {
            String late = "the timeout of " + endpoint.timeoutMs() + " ms passed";
            return new DeadlineExceeded(message(late, endpoint, outcome,
                    "see whether the node hangs, or raise timeout"), endpoint.name(), outcome, thrown);
        }
        if (root instanceof InterruptedIOException || root instanceof InterruptedException) {
            return new DeadlineExceeded(message("the calling thread was interrupted", endpoint, outcome,
                    "find out who interrupts it"), endpoint.name(), outcome, thrown);
        }
        if (root instanceof IOException lost && !(root instanceof WireException)) {
            return nodeDown(shown(why(lost)), "bring the node back", thrown, endpoint, outcome);
        }
        String what = root instanceof WireException ? root.getMessage() : root.toString();
        return new ProtocolViolation(message("the node did not speak the protocol: " + shown(what), endpoint, outcome,
                "see what listens at this address"), endpoint.name(), outcome, thrown);
    }

    private static NodeDown nodeDown(String what, String advice, Throwable thrown, Endpoint endpoint, Outcome outcome) {
        return new NodeDown(message(what, endpoint, outcome, advice), endpoint.name(), outcome, thrown);
    }

    private static String why(IOException root) {
        String text = root.getMessage();
        return root instanceof UnknownHostException ? "the name does not resolve: " + text
                : text == null ? "the connection was lost: " + root.getClass().getSimpleName() : text;
    }

    /** The first cause that says what happened: Jedis wraps it, some of it twice. */
    static Throwable root(Throwable thrown) {
        Throwable root = thrown;
        while (root.getCause() != null && !(root instanceof IOException)) {
            root = root.getCause();
        }
        return root;
    }

    /** No connection to the node got free. */
    static PoolExhausted exhausted(Endpoint endpoint) {
        String busy = "all " + endpoint.poolSize() + " connections stayed in use until the deadline";
        return new PoolExhausted(message(busy, endpoint, Outcome.NOT_SENT,
                "raise pool_size, or use connections for a shorter time"), endpoint.name(), Outcome.NOT_SENT, null);
    }

    /** The node was not asked, because it has failed so often in a row, at last so. */
    static NodeDown resting(Endpoint endpoint, int failures, long ms, OneHopException last) {
        String why = last == null ? "" : ": " + reason(last);
        // Varying numbers come last, so that logs can group by the beginning.
        String numbers = " (" + ms + " ms more, after " + failures + (failures == 1 ? " failure" : " failures")
                + " in a row)";
        return nodeDown("the node rests" + why, "try again later, or bring the node back" + numbers, last, endpoint,
                Outcome.NOT_SENT);
    }

    /** What a failure of this node says has happened, without where and what to do. */
    static String what(RuntimeException failure, Endpoint endpoint) {
        String message = failure instanceof OneHopException ? failure.getMessage() : shown(failure.toString());
        int where = message.indexOf(", " + endpoint);
        return where < 0 ? message : message.substring(0, where);
    }

    /** The same, of what was thrown beneath. */
    static String reason(OneHopException failure) {
        Throwable root = root(failure);
        return shown(root instanceof Endpoint.Unresolved ? root.getMessage()
                : root instanceof SocketTimeoutException ? "no answer in time"
                : root instanceof IOException lost ? why(lost) : root.toString());
    }

    /** There are no connections any more. */
    static NodeDown closed(Endpoint endpoint) {
        return nodeDown("this client was closed", "build another one", null, endpoint, Outcome.NOT_SENT);
    }

    /** What is published to the channel is published elsewhere. */
    static NodeDown moved(byte[] channel, Endpoint endpoint) {
        return nodeDown("since the configuration changed \"" + shown(channel, Limits.SHOWN_BYTES_MAX)
                + "\" is no longer here alone", "subscribe again", null, endpoint, Outcome.ANSWERED);
    }

    /** The slot of a sharded channel is another node's. */
    static NodeDown slotMoved(byte[] channel, Endpoint endpoint) {
        return nodeDown("the slot of \"" + shown(channel, Limits.SHOWN_BYTES_MAX) + "\" is another node's now",
                "subscribe again", null, endpoint, Outcome.ANSWERED);
    }

    /** The node does not accept what the configuration says. */
    static ConfigInvalid rejected(String what, String answer, Endpoint endpoint) {
        return new ConfigInvalid(message(what + ": " + shown(answer), endpoint, Outcome.NOT_SENT,
                "correct the server pool's configuration"), endpoint.name(), Outcome.NOT_SENT, null);
    }

    /** The configuration does not say that the nodes are a Redis Cluster. */
    static ConfigInvalid ofCluster(String answer, Endpoint endpoint) {
        return new ConfigInvalid(message("the node belongs to a Redis Cluster: it answered " + shown(answer), endpoint,
                Outcome.ANSWERED, "set \"cluster: true\" in the server pool"), endpoint.name(), Outcome.ANSWERED, null);
    }

    /** No node of a Redis Cluster is left to send the command to: why, and what the last one said. */
    static NodeDown redirected(String reason, String answer, Endpoint endpoint) {
        return nodeDown("the cluster cannot serve this now: " + reason + " (it said \"" + shown(answer) + "\")",
                "try again", null, endpoint, Outcome.ANSWERED);
    }

    /** What only a replica may answer nobody can. */
    static NodeDown withoutReplica(Endpoint master) {
        return nodeDown("it has no replica that could answer",
                "give it one, or set \"read_from: prefer_replica\"", null, master, Outcome.NOT_SENT);
    }

    /** Nobody has told who has which slot. */
    static OneHopException unmapped(ClusterInquiry.Refusal refused, String pool) {
        String what = "no node tells what the cluster looks like: " + refused.reason() + ", server pool " + shown(pool)
                + ": " + Outcome.NOT_SENT.phrase() + "; ";
        String unreachable = what + "check that the servers run and can be reached";
        return switch (refused.kind()) {
            case CONFIG_INVALID -> new ConfigInvalid(what + "correct the servers of the server pool, or how it signs in",
                    null, Outcome.NOT_SENT, null);
            case PROTOCOL_VIOLATION -> new ProtocolViolation(what + "check the nodes of the cluster", null,
                    Outcome.NOT_SENT, null);
            case DEADLINE_EXCEEDED -> new DeadlineExceeded(unreachable, null, Outcome.NOT_SENT, null);
            default -> new NodeDown(unreachable, null, Outcome.NOT_SENT, null);
        };
    }

    /** The node answered, and turned the connection away. */
    static NodeDown turnedAway(String answer, Endpoint endpoint) {
        return nodeDown("the node turned the connection away: " + shown(answer),
                "give the node room for more clients", null, endpoint, Outcome.NOT_SENT);
    }

    /**
     * What a batch throws of which these nodes failed: all of it, or, if nothing arrived, one failure: the first that
     * leaves open whether something was executed, otherwise the first.
     */
    static OneHopException ofBatch(Map<String, OneHopException> failures, boolean hasArrived, String pool,
            List<Object> replies) {
        if (!hasArrived) {
            return failures.values().stream().filter(OneHopException::mayHaveExecuted).findFirst()
                    .orElseGet(failures.values().iterator()::next);
        }
        String names = failures.keySet().stream().limit(NAMES_MAX).map(Failure::shown)
                .collect(Collectors.joining(", "));
        String more = failures.size() > NAMES_MAX ? " and " + (failures.size() - NAMES_MAX) + " more" : "";
        return new PartialBatch("a part of the batch did not come back, node " + names + more + ", server pool "
                + shown(pool) + ": the other commands were answered; getReplies() has their replies, getFailures() says"
                + " of each node that failed whether its commands may have executed", replies, failures);
    }

    private static String message(String what, Endpoint endpoint, Outcome outcome, String advice) {
        return what + ", " + endpoint + ": " + outcome.phrase() + "; " + advice;
    }

    /** Foreign text as a message may show it: printable ASCII, at most {@link Limits#MESSAGE_BYTES_MAX} bytes. */
    static String shown(String text) {
        return text == null ? "" : shown(text.getBytes(StandardCharsets.UTF_8), Limits.MESSAGE_BYTES_MAX);
    }

    /** Bytes as a message may show them: each that is not printable ASCII as \xNN, cut to so many characters. */
    static String shown(byte[] bytes, int charactersMax) {
        StringBuilder shown = new StringBuilder();
        for (byte one : bytes) {
            boolean isPlain = one >= 0x20 && one < 0x7f && one != '"' && one != '\\';
            String next = isPlain ? String.valueOf((char) one) : String.format("\\x%02x", one);
            if (shown.length() + next.length() > charactersMax - 3) {
                return shown.append("...").toString();
            }
            shown.append(next);
        }
        return shown.toString();
    }
}
