package io.onehop.jedis.internal.failure;

import io.onehop.core.ErrorKind;
import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.base.Limits;
import io.onehop.core.base.Message;
import io.onehop.core.resp.WireException;
import io.onehop.jedis.ConfigInvalid;
import io.onehop.jedis.CrossNode;
import io.onehop.jedis.DeadlineExceeded;
import io.onehop.jedis.NodeDown;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.PartialBatch;
import io.onehop.jedis.PoolExhausted;
import io.onehop.jedis.ProtocolViolation;
import io.onehop.jedis.Unsupported;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.exceptions.JedisException;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Turns an exception of a lower layer into the exception that the caller sees: kind, node, outcome,
 * and a sentence that says what to do.
 *
 * <p>In: what Java or Jedis threw, and how far the command got; or a {@link Message}. Out: a {@link
 * OneHopException} of the message's kind. Its text is "what, node, server pool: outcome; advice".
 * Text of a server is escaped and cut; a password is never part of one. Implements spec/errors.json
 * and spec/messages.json.
 */
public final class Failure {
    private Failure() {}

    /* ---- From a message ---- */

    /**
     * The failure of a node. The arguments are the parts that the text of the message leaves open.
     */
    public static OneHopException of(
            Message message,
            NodeName node,
            Outcome outcome,
            @Nullable Throwable cause,
            Object... what) {
        String text = text(begun(message.what(what)) + ", " + node, outcome, advice(message));
        return made(kind(message), text, node.name(), outcome, cause);
    }

    /** A failure of a server pool that no node has caused. */
    public static OneHopException ofPool(
            Message message, String pool, Outcome outcome, Object... what) {
        return ofPool(message, advice(message), pool, outcome, what);
    }

    /** A failure of a server pool, with another advice than the message has. */
    public static OneHopException ofPool(
            Message message, String advice, String pool, Outcome outcome, Object... what) {
        String where = ", server pool " + Shown.of(pool);
        return made(
                kind(message),
                text(begun(message.what(what)) + where, outcome, advice),
                null,
                outcome,
                null);
    }

    /** Drops the full stop of a server's text, because this sentence goes on. */
    private static String begun(String what) {
        boolean isEnded = what.endsWith(".") && !what.endsWith("..");
        return isEnded ? what.substring(0, what.length() - 1) : what;
    }

    /** The failure to build a client, which has neither a server pool nor a command. */
    public static ConfigInvalid ofBuild(String what, String advice, @Nullable Throwable cause) {
        return new ConfigInvalid(what + "; " + advice, cause);
    }

    /**
     * What to do about a failure. {@code message} must be the message of a failure, not a reason.
     */
    public static String advice(Message message, Object... arguments) {
        return Objects.requireNonNull(message.advice(arguments), message::name);
    }

    private static ErrorKind kind(Message message) {
        return Objects.requireNonNull(message.kind(), message::name);
    }

    private static String text(String where, Outcome outcome, String advice) {
        return where + ": " + outcome.phrase() + "; " + advice;
    }

    private static OneHopException made(
            ErrorKind kind,
            String text,
            @Nullable String node,
            Outcome outcome,
            @Nullable Throwable cause) {
        return switch (kind) {
            case NODE_DOWN -> new NodeDown(text, node, outcome, cause);
            case DEADLINE_EXCEEDED -> new DeadlineExceeded(text, node, outcome, cause);
            case POOL_EXHAUSTED -> new PoolExhausted(text, node, outcome, cause);
            case CONFIG_INVALID -> new ConfigInvalid(text, node, outcome, cause);
            case PROTOCOL_VIOLATION -> new ProtocolViolation(text, node, outcome, cause);
            case UNSUPPORTED -> new Unsupported(text, outcome);
            case CROSS_NODE -> new CrossNode(text);
            case PARTIAL_BATCH -> throw new IllegalArgumentException(text);
        };
    }

    /* ---- From what was thrown ---- */

    /** The failure of an exchange with a node, or of a step before the exchange. */
    public static OneHopException of(Throwable thrown, NodeName node, Outcome outcome) {
        return of(thrown, node, outcome, true);
    }

    /** The failure of an exchange with a node. {@code wasOpen}: the handshake had ended well. */
    public static OneHopException of(
            Throwable thrown, NodeName node, Outcome outcome, boolean wasOpen) {
        if (thrown instanceof OneHopException known) {
            return known;
        }
        Throwable root = root(thrown);
        if (root instanceof SocketTimeoutException) {
            Message late = root instanceof Late known ? known.message() : late(outcome, wasOpen);
            return of(late, node, outcome, thrown, node.pool().timeoutMs());
        }
        if (root instanceof InterruptedIOException || root instanceof InterruptedException) {
            return of(Message.INTERRUPTED, node, outcome, thrown);
        }
        if (root instanceof WireException broken) {
            return broken.violation() == null
                    ? of(Message.PROTOCOL_BROKEN, node, outcome, thrown, Shown.of(why(broken)))
                    : of(broken.violation(), node, outcome, thrown);
        }
        if (root instanceof TlsFailure refused && outcome == Outcome.NOT_SENT) {
            return of(refused.message(), node, outcome, thrown, refused.arguments());
        }
        if (root instanceof Left) {
            return of(Message.SUPERSEDED, node, outcome, thrown);
        }
        if (root instanceof IOException lost) {
            return of(lost(lost, outcome, wasOpen), node, outcome, thrown, Shown.of(why(lost)));
        }
        return of(Message.PROTOCOL_BROKEN, node, outcome, thrown, Shown.of(root.toString()));
    }

    private static Message late(Outcome outcome, boolean wasOpen) {
        if (outcome != Outcome.NOT_SENT) {
            return Message.LATE_REPLY;
        }
        return wasOpen ? Message.LATE_SENDING : Message.LATE_CONNECTING;
    }

    private static Message lost(IOException lost, Outcome outcome, boolean wasOpen) {
        if (lost instanceof UnknownHostException) {
            return Message.NAME_NOT_RESOLVED;
        }
        if (outcome != Outcome.NOT_SENT) {
            return Message.CONNECTION_LOST;
        }
        return wasOpen ? Message.CONNECTION_LOST_UNSENT : Message.NOT_CONNECTED;
    }

    private static String why(IOException lost) {
        if (lost instanceof EOFException) {
            return Message.CLOSED_BY_NODE.what();
        }
        // JDK 25 adds these words, which only repeat the message.
        String text = String.valueOf(lost.getMessage()).replace(" (connect failed)", "");
        return lost.getMessage() == null ? Message.LOST.what() : text;
    }

    /** True if a call has only left its node. Another node can execute its command. */
    public static boolean isLeft(OneHopException failure) {
        return failure.getCause() != null && root(failure.getCause()) instanceof Left;
    }

    /** The first cause that says what happened. Jedis wraps exceptions, some of them twice. */
    public static Throwable root(Throwable thrown) {
        Throwable root = thrown;
        while (root.getCause() != null && !(root instanceof IOException)) {
            root = root.getCause();
        }
        return root;
    }

    /** The same failure, for a call that has sent only a question. */
    public static OneHopException unsent(OneHopException failure) {
        return failure.mayHaveExecuted()
                ? again(failure, text(what(failure), Outcome.NOT_SENT, Message.AGAIN.what()))
                : failure;
    }

    /** A failure of the same kind and node with another text, for a call that was not sent. */
    public static OneHopException again(OneHopException failure, String text) {
        return made(failure.getKind(), text, failure.getNode(), Outcome.NOT_SENT, failure);
    }

    /** What happened, according to a failure of this node, without place and advice. */
    public static String what(RuntimeException failure, NodeName node) {
        String message =
                failure instanceof OneHopException known
                        ? text(known)
                        : Shown.of(failure.toString());
        int where = message.indexOf(", " + node);
        return where < 0 ? message : message.substring(0, where);
    }

    /** The text of an error or a failure. Only an exception that a program made may lack a text. */
    public static String text(JedisException failure) {
        return Objects.requireNonNullElse(failure.getMessage(), "");
    }

    /* ---- Failures of several ---- */

    /**
     * The failure of a call whose node was not asked, because it rests after that many failures in
     * a row; {@code last} is the last of them.
     */
    public static OneHopException resting(
            NodeName node, int failures, long ms, @Nullable OneHopException last) {
        String why = last == null ? Message.UNWELL.what() : what(last, node);
        String text =
                text(
                        Message.RESTING.what(why) + ", " + node,
                        Outcome.NOT_SENT,
                        advice(Message.RESTING));
        // Varying numbers come last, so logs can be grouped by the beginning.
        return made(
                kind(Message.RESTING),
                text + " (" + Message.RESTING_NUMBERS.what(ms, failures) + ")",
                node.name(),
                Outcome.NOT_SENT,
                last);
    }

    /**
     * The failure of a call for which no node has returned the map yet, or no Sentinel has
     * answered.
     */
    public static OneHopException unmapped(RefreshFailure refused, String pool) {
        Message message =
                switch (refused.kind()) {
                    case CONFIG_INVALID -> Message.UNMAPPED_REFUSED;
                    case PROTOCOL_VIOLATION -> Message.UNMAPPED_STRANGE;
                    case DEADLINE_EXCEEDED -> Message.UNMAPPED_LATE;
                    default -> Message.UNMAPPED;
                };
        return ofPool(message, pool, Outcome.NOT_SENT, refused.reason());
    }

    /**
     * The end of a subscription: messages of the channel are published on another node from now on.
     */
    public static OneHopException moved(Message message, byte[] channel, NodeName node) {
        return of(message, node, Outcome.ANSWERED, null, Shown.of(channel, Limits.SHOWN_BYTES_MAX));
    }

    /**
     * The failure of a command that cannot be sent to a further node of a Redis Cluster: the
     * reason, and the answer of the last node.
     */
    public static OneHopException redirected(String reason, String answer, NodeName node) {
        return of(
                Message.REDIRECTED,
                node,
                Outcome.ANSWERED,
                null,
                reason,
                Shown.of(node.name()),
                Shown.of(answer));
    }

    /**
     * Chooses which of two failures a call throws. It is the first one. But if only the next one
     * leaves open whether something was executed, it is the next one. Implements spec/route,
     * "Outcomes".
     */
    public static OneHopException worse(@Nullable OneHopException first, OneHopException next) {
        return first == null || !first.mayHaveExecuted() && next.mayHaveExecuted() ? next : first;
    }

    /**
     * The failure of a batch in which these nodes failed. If no reply arrived, it is the worst
     * failure of one node.
     */
    public static OneHopException ofBatch(
            Map<String, OneHopException> failures,
            boolean hasArrived,
            String pool,
            List<Object> replies) {
        if (!hasArrived) {
            return failures.values().stream().reduce(Failure::worse).orElseThrow();
        }
        OneHopException first = failures.values().iterator().next();
        String what =
                Message.PARTIAL.what(names(failures)) + ", server pool " + Shown.of(pool) + ": ";
        return new PartialBatch(
                what + Message.FIRST_FAILURE.what(advice(Message.PARTIAL), what(first)),
                replies,
                failures);
    }

    /* The first nodes by name, and how many more there are. */
    private static String names(Map<String, OneHopException> failures) {
        String names =
                failures.keySet().stream()
                        .limit(Limits.NAMES_MAX)
                        .map(
                                name ->
                                        Shown.of(
                                                name.getBytes(StandardCharsets.UTF_8),
                                                Limits.SHOWN_BYTES_MAX))
                        .collect(Collectors.joining(", "));
        int more = failures.size() - Limits.NAMES_MAX;
        return more > 0 ? Message.MORE_NAMES.what(names, more) : names;
    }

    /*
     * What happened and where, without outcome and advice: these are true only for that node, not
     * for the batch.
     */
    private static String what(OneHopException first) {
        String text = text(first);
        for (Outcome outcome : Outcome.values()) {
            int end = text.lastIndexOf(": " + outcome.phrase() + "; ");
            text = end < 0 ? text : text.substring(0, end);
        }
        return text;
    }

    /**
     * A call has left its node, because another node has taken over. That says nothing about the
     * node that it has left.
     */
    public static final class Left extends IOException {
        private static final long serialVersionUID = 1;

        public Left() {
            super(Message.SUPERSEDED.what());
        }
    }

    /**
     * The deadline passed in the look-up of a name or in a subscription. Then the failure has a
     * message of its own, not that of a command.
     */
    public static final class Late extends SocketTimeoutException {
        private static final long serialVersionUID = 1;

        private final Message message;

        /** {@code message} has one parameter, the timeout in milliseconds. */
        public Late(Message message) {
            super(Message.DEADLINE_PASSED.what());
            this.message = message;
        }

        Message message() {
            return message;
        }
    }

    /** Why there is no map of a Redis Cluster, or no master that a Sentinel has named. */
    public record RefreshFailure(String reason, ErrorKind kind) {

        /** True if a node has answered something. False if none was reached. */
        public boolean isAnswer() {
            return kind == ErrorKind.CONFIG_INVALID || kind == ErrorKind.PROTOCOL_VIOLATION;
        }
    }

    /** This process cannot open another socket. The node did not cause that. */
    public static final class NoDescriptor extends IOException {
        private static final long serialVersionUID = 1;

        public NoDescriptor(IOException cause) {
            super(cause.getMessage(), cause);
        }
    }
}
