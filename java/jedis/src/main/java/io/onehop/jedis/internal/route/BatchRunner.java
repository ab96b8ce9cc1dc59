package io.onehop.jedis.internal.route;

import io.onehop.core.base.Timings;
import io.onehop.core.command.Command;
import io.onehop.jedis.DeadlineExceeded;
import io.onehop.jedis.NodeDown;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.batch.Batch;
import io.onehop.jedis.internal.batch.BatchExchange;
import io.onehop.jedis.internal.batch.BatchExchange.Successors;
import io.onehop.jedis.internal.batch.Forwarding;
import io.onehop.jedis.internal.batch.Preface;
import io.onehop.jedis.internal.batch.Reply;
import io.onehop.jedis.internal.batch.RetryBudget;
import io.onehop.jedis.internal.batch.Scatter;
import io.onehop.jedis.internal.command.Commands;
import io.onehop.jedis.internal.command.Scripts;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.resend.Redirects;
import io.onehop.jedis.internal.resend.Succession;
import io.onehop.jedis.internal.snapshot.Snapshot;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;

import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;

/**
 * Begins and runs the batches of one snapshot, until every command has its reply or its failure. A
 * command that a {@link CommandExchange} cannot run is a batch of one command.
 *
 * <p>Any thread; but a batch belongs to one thread.
 */
public class BatchRunner {
    private final Snapshot snapshot;
    private final ClientState client;
    private final boolean isWatched;
    // The deadline of the one call that this runner is for; usually null.
    private final @Nullable Deadline begun;
    private final BiConsumer<List<BatchExchange>, Deadline> send = this::run;
    private final Successors successors = this::successor;

    BatchRunner(Snapshot snapshot, ClientState client, @Nullable Deadline begun) {
        this.snapshot = snapshot;
        this.client = client;
        this.isWatched = !snapshot.pool().sentinels().isEmpty();
        this.begun = begun;
    }

    Snapshot snapshot() {
        return snapshot;
    }

    RetryBudget budget() {
        return client.budget();
    }

    Scripts scripts() {
        return client.scripts();
    }

    /** The deadline of a call that begins now. */
    public Deadline deadline() {
        return begun == null ? Deadline.in(snapshot.pool().timeoutMs()) : begun;
    }

    /** A new batch, still empty. */
    public Batch begin() {
        return Batch.of(snapshot, forwarding());
    }

    /**
     * Follows the redirects of one batch, or the masters that its nodes have lost; {@code null} if
     * it needs neither.
     */
    @Nullable Forwarding forwarding() {
        if (snapshot.pool().cluster()) {
            return new Redirects(snapshot, client.scripts(), client.cluster(), send);
        }
        return isWatched || snapshot.pool().asksReplicas()
                ? new Succession(snapshot, client.scripts(), client.sentinels(), send)
                : null;
    }

    /** Appends a command to the exchange of its node. */
    <T> Reply<T> append(CommandObject<T> command, Command entry, BatchExchange exchange) {
        return append(command, entry, exchange, new Reply<>(command.getBuilder()));
    }

    <T> Reply<T> append(
            CommandObject<T> command, Command entry, BatchExchange exchange, Reply<T> reply) {
        CommandArguments arguments = command.getArguments();
        if (Commands.isUnknown(entry, arguments)) {
            exchange.closeAfter();
        }
        Preface.append(entry, arguments, client.scripts(), exchange);
        exchange.append(arguments, entry.isRetryable(), reply);
        return reply;
    }

    /** Runs one command on the node of this home, by the deadline. */
    <T> T ask(int home, CommandObject<T> command, Command entry, Deadline deadline) {
        Batch batch = begin();
        return ask(batch, batch.of(home), command, entry, deadline);
    }

    /**
     * Like {@link #ask}, for a caller that asks another node if this node fails, so that nobody
     * waits for a successor. The caller may have leased a connection of {@code held}, perhaps the
     * only one of that pool.
     */
    <T> T askOneOfSeveral(
            int home,
            CommandObject<T> command,
            Command entry,
            Deadline deadline,
            @Nullable Pool held) {
        Batch batch = begin();
        BatchExchange exchange = batch.of(home);
        exchange.leaveFailuresToCaller();
        if (exchange.pool() == held) {
            exchange.goBeyond();
        }
        return ask(batch, exchange, command, entry, deadline);
    }

    private <T> T ask(
            Batch batch,
            BatchExchange exchange,
            CommandObject<T> command,
            Command entry,
            Deadline deadline) {
        Reply<T> reply = append(command, entry, exchange);
        run(batch, deadline);
        return reply.get();
    }

    /** Sends the commands of the batch. Afterwards each has its reply or failure. */
    public void run(Batch batch) {
        run(batch, deadline().later(batch.waitMs()));
    }

    void run(Batch batch, Deadline deadline) {
        run(batch.used(), deadline);
        batch.follow(deadline);
    }

    /** Sends the commands of these exchanges. Redirects are noted. */
    void run(List<BatchExchange> exchanges, Deadline deadline) {
        CallObserver observer = client.observer();
        if (observer != null && !exchanges.isEmpty()) {
            observer.asks(exchanges.get(0).pool(), exchanges.size());
        }
        Scatter.run(exchanges, deadline, client.budget(), successors);
        if (snapshot.pool().cluster() || isWatched) {
            exchanges.stream()
                    .map(BatchExchange::failure)
                    .filter(Objects::nonNull)
                    .forEach(this::failed);
        }
    }

    /**
     * The node that has taken over from this one, for a call that waits for it; {@code null} if
     * none is known. A long wait is treated like a failure.
     */
    @Nullable Pool successor(Pool asked, int home, Deadline deadline) {
        if (deadline.isOlderThan(Timings.LEAVING_DOUBT_MS)) {
            doubt();
        }
        return client.cluster().snapshot().successor(asked, home);
    }

    /** True if another node may answer reads of this home in the place of this one. */
    boolean hasFallback(Pool asked, int home) {
        return snapshot.hasFallback(asked, home);
    }

    /** Asks for news after a failure: a node that cannot be reached may have been replaced. */
    void failed(OneHopException failure) {
        if (failure instanceof NodeDown || failure instanceof DeadlineExceeded) {
            doubt();
        }
    }

    /** Asks for the newest map, or asks the Sentinels: the node may have a successor. */
    private void doubt() {
        if (snapshot.pool().cluster()) {
            client.cluster().requestRefresh(null);
        } else if (isWatched) {
            client.sentinels().requestQuestion();
        }
    }
}
