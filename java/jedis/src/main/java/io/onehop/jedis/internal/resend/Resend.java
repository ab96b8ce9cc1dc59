package io.onehop.jedis.internal.resend;

import io.onehop.core.command.Command;
import io.onehop.core.command.Command.Spread;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.batch.Batch;
import io.onehop.jedis.internal.batch.BatchExchange;
import io.onehop.jedis.internal.batch.Forwarding;
import io.onehop.jedis.internal.batch.Preface;
import io.onehop.jedis.internal.batch.ReplySink;
import io.onehop.jedis.internal.command.Commands;
import io.onehop.jedis.internal.command.Scripts;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.pool.Pool;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Sends commands of a batch again, in further batches, and remembers how these ended. A subclass
 * decides which commands are sent again, and to which nodes. For one thread.
 */
public abstract class Resend implements Forwarding {
    private final BiConsumer<List<BatchExchange>, Deadline> send;
    private final Map<String, OneHopException> failures = new LinkedHashMap<>();
    private boolean hasArrived;

    /**
     * When the wait of a blocking command that was sent alone ends; 0 if no command waits until
     * such an instant.
     */
    private long waitEndNs;

    /** {@code send} runs exchanges until each is done or failed, by the deadline. */
    protected Resend(BiConsumer<List<BatchExchange>, Deadline> send) {
        this.send = send;
    }

    /** Appends what has to precede a command on its new connection. */
    static void prepare(
            BatchExchange exchange,
            @Nullable Command entry,
            CommandArguments arguments,
            Scripts scripts) {
        if (entry == null || entry.isUnshared() || entry.spread() == Spread.REFUSED) {
            // The command is unknown or renamed, and may change its connection.
            exchange.closeAfter();
        } else {
            Preface.append(entry, arguments, scripts, exchange);
        }
    }

    /** Appends the command. A blocking command waits only for the rest of its time. */
    final void append(
            BatchExchange exchange,
            @Nullable Command entry,
            CommandArguments arguments,
            ReplySink sink) {
        exchange.append(
                waitEndNs == 0 ? arguments : Commands.waitingUntil(waitEndNs, entry, arguments),
                entry != null && entry.isRetryable(),
                sink);
    }

    /** Sends the commands of a batch. */
    protected final void send(Batch batch, Deadline deadline) {
        send.accept(batch.used(), deadline);
        for (BatchExchange exchange : batch.used()) {
            hasArrived |= exchange.hasArrived();
            if (exchange.failure() != null) {
                failed(name(exchange.pool()), exchange.failure());
            }
        }
    }

    /** Notes that a command has its reply, without being sent again. */
    protected final void arrived() {
        hasArrived = true;
    }

    /**
     * Notes that a command has failed at this node. If a node has several failures, the worst one
     * is kept.
     */
    protected final void failed(String node, OneHopException failure) {
        failures.merge(node, failure, Failure::worse);
    }

    static String name(Pool node) {
        return node.endpoint().name();
    }

    @Override
    public final void waitsUntil(long instantNs) {
        waitEndNs = instantNs;
    }

    @Override
    public final Map<String, OneHopException> failures() {
        return failures;
    }

    @Override
    public final boolean hasArrived() {
        return hasArrived;
    }
}
