package io.onehop.jedis.internal.route;

import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.batch.Batch;
import io.onehop.jedis.internal.batch.BatchExchange;
import io.onehop.jedis.internal.batch.Nothing;
import io.onehop.jedis.internal.batch.Reply;
import io.onehop.jedis.internal.batch.ReplySink;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.resend.Resend;
import io.onehop.jedis.internal.snapshot.Snapshot;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * The rounds of a batch whose keys move from another ring: bring, send, ask the old owners, ask the
 * owners once more.
 *
 * <p>Beginning with the first command whose keys move, commands wait here until all keys that have
 * to be brought have arrived. So the commands of a node keep their order. For one thread.
 * Implements spec/topology/moving.md, section 4.
 */
final class MovingRounds extends Resend {

    /**
     * A command that waits. {@code brings}: those of its keys that are brought before it is sent.
     */
    private record Waiting(List<byte[]> brings, Reply<?> reply, Runnable append) {}

    private final Snapshot snapshot;
    private final BiFunction<List<byte[]>, Deadline, Map<ByteBuffer, RuntimeException>> bring;
    private final List<Waiting> waiting = new ArrayList<>();
    private final Set<ByteBuffer> brought = new HashSet<>();
    private List<Asking> doubtful = new ArrayList<>();

    /**
     * {@code bring} brings keys, and returns for each key that could not be brought the reason;
     * {@code send} runs exchanges.
     */
    MovingRounds(
            Snapshot snapshot,
            BiFunction<List<byte[]>, Deadline, Map<ByteBuffer, RuntimeException>> bring,
            BiConsumer<List<BatchExchange>, Deadline> send) {
        super(send);
        this.snapshot = snapshot;
        this.bring = bring;
    }

    /** True if a command waits, and others have to wait behind it. */
    boolean isWaiting() {
        return !waiting.isEmpty();
    }

    /** Makes a command wait. {@code append} appends it to its batch. */
    void wait(List<byte[]> brings, Reply<?> reply, Runnable append) {
        waiting.add(new Waiting(brings, reply, append));
    }

    /** The sink of a reply that may be the reply for a missing key. */
    ReplySink asking(byte[] key, int owner, int old, Consumer<Appending> command, ReplySink sink) {
        return new Asking(key, owner, old, command, sink);
    }

    /** Appends a command to an exchange, with this sink. */
    record Appending(BatchExchange exchange, ReplySink sink) {}

    /* ---- Round 1 ---- */

    /** Brings all keys, and appends the commands. */
    void begin(Deadline deadline) {
        if (waiting.isEmpty()) {
            return;
        }
        List<byte[]> keys = new ArrayList<>();
        waiting.forEach(each -> keys.addAll(each.brings()));
        Map<ByteBuffer, RuntimeException> missing =
                keys.isEmpty() ? Map.of() : bring.apply(keys, deadline);
        keys.forEach(key -> brought.add(ByteBuffer.wrap(key)));
        brought.removeAll(missing.keySet());
        for (Waiting each : waiting) {
            append(each, missing);
        }
        waiting.clear();
    }

    private void append(Waiting each, Map<ByteBuffer, RuntimeException> missing) {
        for (byte[] key : each.brings()) {
            RuntimeException reason = missing.get(ByteBuffer.wrap(key));
            if (reason != null) {
                refuse(each.reply(), reason);
                return;
            }
        }
        try {
            each.append().run();
        } catch (OneHopException refusal) {
            refuse(each.reply(), refusal);
        }
    }

    private void refuse(Reply<?> reply, RuntimeException reason) {
        if (reason instanceof OneHopException failure) {
            if (failure.getNode() != null) {
                failed(failure.getNode(), failure);
            }
            reply.fail(failure);
        } else {
            arrived();
            reply.take(reason);
        }
    }

    /* ---- Rounds 3 and 4 ---- */

    /** A command, or a part of one, that asks for one key. */
    private final class Asking implements ReplySink {
        private final byte[] key;
        private final int owner;
        private final int old;
        private final Consumer<Appending> command;
        private final ReplySink sink;
        private @Nullable Object answer; // The answer of the old owner.
        private boolean isAnswered;

        Asking(byte[] key, int owner, int old, Consumer<Appending> command, ReplySink sink) {
            this.key = key;
            this.owner = owner;
            this.old = old;
            this.command = command;
            this.sink = sink;
        }

        @Override
        public boolean take(@Nullable Object reply) {
            if (!Nothing.is(reply) || brought.contains(ByteBuffer.wrap(key))) {
                return sink.take(reply);
            }
            doubtful.add(this);
            return true;
        }

        @Override
        public void fail(OneHopException failure) {
            sink.fail(failure);
        }

        /**
         * Appends the command for the old owner, and EXISTS behind it: if the key is there then, it
         * was there before.
         */
        void appendToOld(Batch batch) {
            BatchExchange exchange = batch.ofNode(old);
            command.accept(new Appending(exchange, new OldAnswer(this)));
            CommandArguments exists = new CommandArguments(Command.EXISTS).add(key);
            exchange.append(exists, true, new Existence(this));
        }

        void appendAgain(Batch batch) {
            command.accept(new Appending(batch.ofNode(owner), sink));
        }
    }

    private static final class OldAnswer implements ReplySink {
        private final Asking asking;

        OldAnswer(Asking asking) {
            this.asking = asking;
        }

        @Override
        public boolean take(@Nullable Object reply) {
            asking.answer = reply;
            asking.isAnswered = true;
            return true;
        }

        @Override
        public void fail(OneHopException failure) {
            asking.sink.fail(failure);
        }
    }

    private final class Existence implements ReplySink {
        private final Asking asking;

        Existence(Asking asking) {
            this.asking = asking;
        }

        @Override
        public boolean take(@Nullable Object reply) {
            if (Long.valueOf(0).equals(reply) && Nothing.is(asking.answer)) {
                doubtful.add(asking); // The key may have been moved in that time.
                return true;
            }
            return asking.sink.take(asking.answer);
        }

        @Override
        public void fail(OneHopException failure) {
            if (asking.isAnswered) { // If not, the command before EXISTS has the same failure.
                asking.sink.fail(failure);
            }
        }
    }

    @Override
    public void follow(Deadline deadline) {
        if (!doubtful.isEmpty()) {
            round(Asking::appendToOld, deadline);
        }
        if (!doubtful.isEmpty()) {
            round(Asking::appendAgain, deadline);
        }
    }

    private void round(BiConsumer<Asking, Batch> step, Deadline deadline) {
        List<Asking> asking = doubtful;
        doubtful = new ArrayList<>();
        Batch batch = Batch.of(snapshot, null);
        asking.forEach(each -> step.accept(each, batch));
        send(batch, deadline);
    }
}
