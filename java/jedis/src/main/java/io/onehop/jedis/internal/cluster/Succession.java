package io.onehop.jedis.internal.cluster;

import io.onehop.core.command.Command;
import io.onehop.jedis.NodeDown;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.batch.Batch;
import io.onehop.jedis.internal.batch.BatchExchange;
import io.onehop.jedis.internal.batch.Forwarding;
import io.onehop.jedis.internal.batch.Preface;
import io.onehop.jedis.internal.batch.ReplySink;
import io.onehop.jedis.internal.command.Commands;
import io.onehop.jedis.internal.command.Scripts;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.snapshot.Snapshot;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.exceptions.JedisDataException;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;

/**
 * The commands of one batch that their master has not executed, because it is no master any more or
 * was not reached. They are sent again, after each question to the Sentinels, to the master that is
 * known then. A read that a replica has not answered goes to its master at once.
 *
 * <p>In: READONLY or NOREPLICAS instead of a reply, a node to which nothing was sent, or a read
 * whose connection was lost; of a replica also LOADING or MASTERDOWN. Out: every sink has its reply
 * or failure, by the batch's own deadline. For one thread. Implements spec/topology/sentinel.md,
 * section 5, and spec/topology/cluster.md, section 7.
 */
public final class Succession implements Forwarding {
    private static final String READONLY = "READONLY ";

    /* A master says so that has lost its replicas, or soon will be one (min-replicas-to-write). */
    private static final String NOREPLICAS = "NOREPLICAS ";

    /* Refusals after which a replica's command goes to its master. */
    private static final List<String> OF_REPLICAS = List.of("LOADING ", "MASTERDOWN ");

    /* How long a call without a timeout waits for the Sentinels to name a master that works. */
    private static final int PATIENCE_MS = 10_000;

    /** One command that was not executed: the error, or the failure, says why. */
    private record Unserved(
            Pool asked,
            int home,
            CommandArguments arguments,
            ReplySink sink,
            @Nullable JedisDataException error,
            @Nullable OneHopException failure) {}

    private final Snapshot snapshot;
    private final Scripts scripts;
    private final Sentinels sentinels;
    private final boolean isWatched;
    private final BiConsumer<List<BatchExchange>, Deadline> send;
    private final Map<String, OneHopException> failures = new LinkedHashMap<>();
    private List<Unserved> noted = new ArrayList<>();
    private boolean hasArrived;

    /**
     * For a batch of this snapshot. {@code sentinels}: asked if they watch its masters. {@code
     * send} runs exchanges until each is done or failed, by the deadline.
     */
    public Succession(
            Snapshot snapshot,
            Scripts scripts,
            Sentinels sentinels,
            BiConsumer<List<BatchExchange>, Deadline> send) {
        this.snapshot = snapshot;
        this.scripts = scripts;
        this.sentinels = sentinels;
        this.isWatched = !snapshot.pool().sentinels().isEmpty();
        this.send = send;
    }

    @Override
    public boolean sendsOn(Pool asked, JedisDataException error) {
        String text = String.valueOf(error.getMessage());
        if (asked.endpoint().isReplica()) {
            return snapshot.readFrom().mayAskMaster()
                    && OF_REPLICAS.stream().anyMatch(text::startsWith);
        }
        return isWatched && (text.startsWith(READONLY) || text.startsWith(NOREPLICAS));
    }

    @Override
    public boolean sendsOn(Pool asked, OneHopException failure, boolean isReadOnly) {
        return isWatched
                && !asked.endpoint().isReplica()
                && failure instanceof NodeDown
                && (isReadOnly || !failure.mayHaveExecuted());
    }

    @Override
    public void note(
            Pool asked,
            int home,
            CommandArguments arguments,
            ReplySink sink,
            JedisDataException error) {
        noted.add(new Unserved(asked, home, arguments, sink, error, null));
    }

    @Override
    public void rescue(
            Pool asked,
            int home,
            CommandArguments arguments,
            ReplySink sink,
            OneHopException failure) {
        noted.add(new Unserved(asked, home, arguments, sink, null, failure));
    }

    @Override
    public Map<String, OneHopException> failures() {
        return failures;
    }

    @Override
    public boolean hasArrived() {
        return hasArrived;
    }

    @Override
    public void follow(Deadline deadline) {
        Deadline patience = deadline.isBounded() ? deadline : Deadline.in(PATIENCE_MS);
        while (!noted.isEmpty()) {
            List<Unserved> round = noted;
            noted = new ArrayList<>();
            if (round.stream().allMatch(each -> each.asked().endpoint().isReplica())) {
                send(round, snapshot, deadline);
                continue;
            }
            // Their connections lead to replicas. A new one asks the node for its role.
            round.stream()
                    .filter(each -> each.error() != null)
                    .forEach(each -> each.asked().purge());
            if (isWatched) {
                sentinels.awaitRefresh(patience);
            }
            if (!isWatched || patience.hasPassed() || Thread.currentThread().isInterrupted()) {
                round.forEach(this::end);
            } else {
                send(round, sentinels.snapshot(), deadline);
            }
        }
    }

    private void end(Unserved command) {
        if (command.error() != null) {
            command.sink().take(command.error());
            hasArrived = true;
        } else {
            OneHopException failure = Objects.requireNonNull(command.failure());
            failures.putIfAbsent(command.asked().endpoint().name(), failure);
            command.sink().fail(failure);
        }
    }

    private void send(List<Unserved> round, Snapshot newest, Deadline deadline) {
        Batch batch = Batch.ofSentOn(newest, this);
        for (Unserved command : round) {
            BatchExchange exchange = batch.of(command.home());
            Command entry = Commands.known(command.arguments());
            if (entry == null) {
                exchange.closeAfter(); // An unknown command may change its connection.
            } else {
                Preface.append(entry, command.arguments(), scripts, exchange);
            }
            exchange.append(
                    command.arguments(), entry != null && entry.isRetryable(), command.sink());
        }
        send.accept(batch.used(), deadline);
        for (BatchExchange exchange : batch.used()) {
            hasArrived |= exchange.hasArrived();
            if (exchange.failure() != null) {
                failures.put(exchange.pool().endpoint().name(), exchange.failure());
            }
        }
    }
}
