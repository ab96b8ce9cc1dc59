package io.onehop.jedis;

import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.pool.Pool;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.Protocol.Command;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The confirmations that a subscription still expects, in the order of the caller's commands, and
 * the channels whose confirmation the caller has had.
 *
 * <p>Each node confirms for itself, counts its own channels, and answers at any time. The caller
 * sees one server: it gets each confirmation once, in the order of its commands, with the number of
 * all channels that it has. For one thread.
 */
final class Confirmations {

    /**
     * Channels, patterns and sharded channels: the commands that enter and leave them, and the name
     * of their messages.
     */
    enum Kind {
        CHANNEL(Command.SUBSCRIBE, Command.UNSUBSCRIBE, "message"),
        PATTERN(Command.PSUBSCRIBE, Command.PUNSUBSCRIBE, "pmessage"),
        SHARDED(Command.SSUBSCRIBE, Command.SUNSUBSCRIBE, "smessage");

        private final Command enter;
        private final Command leave;
        private final String message;

        Kind(Command enter, Command leave, String message) {
            this.enter = enter;
            this.leave = leave;
            this.message = message;
        }

        static @Nullable Kind of(Object command) {
            return Arrays.stream(values())
                    .filter(kind -> kind.enter == command || kind.leave == command)
                    .findFirst()
                    .orElse(null);
        }

        boolean isLeftBy(Command command) {
            return leave == command;
        }

        Command enter() {
            return enter;
        }

        Command leave() {
            return leave;
        }

        static @Nullable Kind ofMessage(byte[] said) {
            return Arrays.stream(values())
                    .filter(kind -> is(said, kind.message))
                    .findFirst()
                    .orElse(null);
        }
    }

    /** One expected confirmation, from these nodes. */
    private static final class Expected {
        private final Command command;
        private final byte @Nullable [] channel;
        private final Set<Pool> nodes;
        private final Deadline deadline;
        private final @Nullable Runnable own; // Set if the caller does not know of the command.
        private @Nullable List<?> pong;

        Expected(
                Command command,
                byte @Nullable [] channel,
                Set<Pool> nodes,
                Deadline deadline,
                @Nullable Runnable own) {
            this.command = command;
            this.channel = channel;
            this.nodes = new LinkedHashSet<>(nodes);
            this.deadline = deadline;
            this.own = own;
        }

        boolean isOf(Pool node, byte[] said, Object channel) {
            return nodes.contains(node)
                    && (command == Command.PING
                            ? is(said, "pong")
                            : is(said, command.name())
                                    && Arrays.equals(this.channel, (byte[]) channel));
        }
    }

    private final ArrayDeque<Expected> expected = new ArrayDeque<>();
    private final Map<Kind, Set<ByteBuffer>> confirmed = new HashMap<>();

    private Set<ByteBuffer> confirmed(Kind kind) {
        return confirmed.computeIfAbsent(kind, first -> new LinkedHashSet<>());
    }

    /**
     * Expects the confirmation of a caller's command that is about to be sent to these nodes. If
     * there are no nodes, we confirm it ourselves.
     */
    void expect(Command command, byte @Nullable [] channel, Set<Pool> nodes, Deadline deadline) {
        expected.add(new Expected(command, channel, nodes, deadline, null));
    }

    /**
     * Like {@link #expect}, for a command that the caller does not know of. Runs {@code then} when
     * it is confirmed.
     */
    void expectOwn(Command command, byte[] channel, Pool node, Deadline deadline, Runnable then) {
        expected.add(new Expected(command, channel, Set.of(node), deadline, then));
    }

    private static void change(Set<ByteBuffer> channels, boolean isEntered, byte[] channel) {
        ByteBuffer name = ByteBuffer.wrap(channel);
        if (isEntered) {
            channels.add(name);
        } else {
            channels.remove(name);
        }
    }

    /**
     * The next confirmation if it is complete, as one server would send it; otherwise {@code null}.
     */
    @Nullable List<Object> next() {
        Expected first = expected.peek();
        while (first != null && first.nodes.isEmpty() && first.own != null) {
            expected.remove();
            first.own.run();
            first = expected.peek();
        }
        if (first == null || !first.nodes.isEmpty()) {
            return null;
        }
        expected.remove();
        if (first.command == Command.PING) {
            return new ArrayList<>(Objects.requireNonNull(first.pong, "PING goes to one node"));
        }
        Kind kind = Kind.of(first.command);
        if (kind != null && first.channel != null) {
            change(confirmed(kind), first.command == kind.enter, first.channel);
        }
        long count =
                kind == Kind.SHARDED
                        ? confirmed(Kind.SHARDED).size()
                        : confirmed(Kind.CHANNEL).size() + confirmed(Kind.PATTERN).size();
        String name = first.command.name().toLowerCase(Locale.ROOT);
        return Arrays.asList(name.getBytes(StandardCharsets.US_ASCII), first.channel, count);
    }

    /** True if this is the node's part of the next confirmation. If so, it is noted. */
    boolean take(Pool node, List<?> said) {
        Expected first = expected.peek();
        if (first == null || !first.isOf(node, (byte[]) said.get(0), said.get(1))) {
            return false;
        }
        first.nodes.remove(node);
        first.pong = said;
        return true;
    }

    /** Notes that this node will send no more confirmations. */
    void leave(Pool node) {
        expected.removeIf(each -> each.nodes.remove(node) && isIdle(each));
    }

    /** True if no node is left to confirm the command, and the caller need not be told. */
    private static boolean isIdle(Expected left) {
        return left.nodes.isEmpty() && (left.own != null || left.command == Command.PING);
    }

    /** True if this may be a confirmation whose turn has not come yet. */
    boolean isExpected(Pool node, List<?> said) {
        return expected.stream()
                .anyMatch(each -> each.isOf(node, (byte[]) said.get(0), said.get(1)));
    }

    /**
     * True if the caller has not had the confirmation of this channel yet. The messages of the
     * channel must come after it.
     */
    boolean isAwaited(Kind kind, byte[] channel) {
        return !expected.isEmpty()
                && !confirmed(kind).contains(ByteBuffer.wrap(channel))
                && expected.stream()
                        .anyMatch(
                                each ->
                                        each.command == kind.enter
                                                && Arrays.equals(each.channel, channel));
    }

    /** When the next confirmation must have come; no deadline if none is expected. */
    Deadline deadline() {
        return expected.isEmpty() ? Deadline.NONE : expected.peek().deadline;
    }

    /** The first node whose part of the next confirmation is missing. */
    Pool missing() {
        return expected.peek().nodes.iterator().next();
    }

    /** True if the bytes are this word, in upper or lower case. */
    private static boolean is(byte[] said, String word) {
        if (said.length != word.length()) {
            return false;
        }
        for (int i = 0; i < said.length; i++) {
            if ((said[i] | 0x20) != (word.charAt(i) | 0x20)) {
                return false;
            }
        }
        return true;
    }
}
