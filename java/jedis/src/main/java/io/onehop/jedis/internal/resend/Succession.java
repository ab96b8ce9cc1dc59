package io.onehop.jedis.internal.resend;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.Node;
import io.onehop.core.base.Message;
import io.onehop.core.base.Timings;
import io.onehop.core.base.Words;
import io.onehop.core.cluster.Redirect;
import io.onehop.core.command.Command;
import io.onehop.core.resp.WireException;
import io.onehop.jedis.NodeDown;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.batch.Batch;
import io.onehop.jedis.internal.batch.BatchExchange;
import io.onehop.jedis.internal.batch.Forwarding.SentCommand;
import io.onehop.jedis.internal.batch.ReplySink;
import io.onehop.jedis.internal.command.Commands;
import io.onehop.jedis.internal.command.Scripts;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.nodes.Sentinels;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.snapshot.Snapshot;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.exceptions.JedisDataException;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * The commands of one batch that their master has not executed, because it is no longer a master or
 * was not reached. After each question to the Sentinels they are sent again, to the master that is
 * known by then. A read that its node has not answered goes to the fallback immediately.
 *
 * <p>Commands of one node keep their order: reads behind a command that was refused are sent again
 * with it. If a write behind it was executed, or may have been, no command of this node is sent
 * again.
 *
 * <p>In: a command that got READONLY or NOREPLICAS instead of a reply, or whose node failed before
 * anything was sent, or a read whose connection was lost; if a read has a fallback, also LOADING or
 * MASTERDOWN. Out: every sink has its reply or failure, by the batch's own deadline. For one
 * thread. Implements spec/topology/sentinel.md, section 5, and spec/topology/cluster.md, section 7.
 */
public final class Succession extends Resend {
    /**
     * One command that goes to another node. So far it has got a refusal, a failure, or an answer
     * that came behind a refusal.
     */
    private record Unserved(
            Pool asked,
            String master,
            CommandArguments arguments,
            ReplySink sink,
            @Nullable Object reply,
            @Nullable OneHopException failure,
            boolean fallsBack) {}

    private final Snapshot snapshot;
    private final Scripts scripts;
    private final Sentinels sentinels;
    private final boolean isWatched;
    // They executed, or may have executed, writes behind a refusal.
    private final Set<Pool> overtaken = new HashSet<>();
    private List<Unserved> noted = new ArrayList<>();
    private Snapshot asking; // The snapshot of the commands that are on their way.

    /**
     * For a batch of this snapshot. If Sentinels watch its masters, {@code sentinels} asks them.
     * {@code send} runs exchanges until each is done or has failed, by the deadline.
     */
    public Succession(
            Snapshot snapshot,
            Scripts scripts,
            Sentinels sentinels,
            BiConsumer<List<BatchExchange>, Deadline> send) {
        super(send);
        this.snapshot = snapshot;
        this.asking = snapshot;
        this.scripts = scripts;
        this.sentinels = sentinels;
        this.isWatched = !snapshot.pool().sentinels().isEmpty();
    }

    @Override
    public boolean noteRefused(SentCommand command, JedisDataException error, boolean mayFallBack) {
        boolean fallsBack = mayFallBack && fallsBack(command, error);
        boolean isNoted = fallsBack || isRefusal(command.asked(), error);
        if (isNoted) {
            note(command, error, null, fallsBack);
        }
        return isNoted;
    }

    private boolean fallsBack(SentCommand command, JedisDataException error) {
        return Words.REDIRECT_MASTER.contains(Redirect.word(Failure.text(error)))
                && hasFallback(command.asked(), command.home());
    }

    private boolean isRefusal(Pool asked, JedisDataException error) {
        String text = String.valueOf(error.getMessage());
        return isWatched
                && !asked.endpoint().isReplica()
                && (Words.REFUSED_BY_WATCHED.contains(Redirect.word(text))
                        || Redirect.endsWaits(text));
    }

    @Override
    public boolean noteFailed(
            SentCommand command, OneHopException failure, boolean isReadOnly, boolean fallsBack) {
        boolean isNoted = fallsBack || goesOn(command.asked(), failure, isReadOnly);
        if (isNoted) {
            note(command, null, failure, fallsBack);
        }
        return isNoted;
    }

    private boolean goesOn(Pool asked, OneHopException failure, boolean isReadOnly) {
        // A replica is asked for a master that has failed already.
        return isWatched
                && (!asked.endpoint().isReplica() || snapshot.readFrom().prefersMaster())
                && failure instanceof NodeDown
                && (isReadOnly || !failure.mayHaveExecuted());
    }

    @Override
    public boolean noteBehind(SentCommand command, @Nullable Object reply) {
        if (command.asked().endpoint().isReplica()) {
            return false;
        }
        Command entry = Commands.known(command.arguments().get(), snapshot.commands());
        if (entry == null || !entry.isRetryable()) {
            overtaken(command.asked());
            return false;
        }
        note(command, reply, null, false);
        return true;
    }

    @Override
    public void overtaken(Pool asked) {
        overtaken.add(asked);
    }

    @Override
    public boolean hasFallback(Pool asked, int home) {
        return snapshot.hasFallback(asked, home);
    }

    private void note(
            SentCommand command,
            @Nullable Object reply,
            @Nullable OneHopException failure,
            boolean fallsBack) {
        noted.add(
                new Unserved(
                        command.asked(),
                        master(command.home()),
                        command.arguments().get(),
                        command.sink(),
                        reply,
                        failure,
                        fallsBack));
        if (fallsBack && isWatched) {
            sentinels.requestQuestion();
        }
    }

    private String master(int home) {
        return asking.pools()[asking.keys().nodeAt(home)].endpoint().name();
    }

    @Override
    public void follow(Deadline deadline) {
        Deadline limit =
                deadline.isBounded() ? deadline : Deadline.in(Timings.SUCCESSION_MS_DEFAULT);
        while (!noted.isEmpty()) {
            List<Unserved> round = takeNoted();
            if (round.stream().anyMatch(Unserved::fallsBack)) {
                noted.addAll(round.stream().filter(each -> !each.fallsBack()).toList());
                send(round.stream().filter(Unserved::fallsBack).toList(), snapshot, deadline);
                continue;
            }
            // Their connections lead to replicas. A new connection asks the node for its role.
            round.stream()
                    .filter(each -> each.failure() == null)
                    .forEach(each -> each.asked().clear());
            if (isWatched) {
                sentinels.awaitRefresh(limit);
            }
            if (!isWatched
                    || limit.hasPassed()
                    || sentinels.isClosed()
                    || Thread.currentThread().isInterrupted()) {
                round.forEach(this::end);
            } else {
                send(round, sentinels.snapshot(), deadline);
            }
        }
    }

    /** The noted commands that can be sent again in their order. The others end. */
    private List<Unserved> takeNoted() {
        List<Unserved> round = new ArrayList<>();
        for (Unserved command : noted) {
            if (overtaken.contains(command.asked())) {
                end(command);
            } else {
                round.add(command);
            }
        }
        noted = new ArrayList<>();
        overtaken.clear();
        return round;
    }

    private void end(Unserved command) {
        if (command.failure() == null) {
            arrived();
            if (!command.sink().take(command.reply())) {
                fail(command, violation(command));
            }
        } else {
            fail(command, command.failure());
        }
    }

    private static OneHopException violation(Unserved command) {
        return Failure.of(
                new WireException(Message.UNEXPECTED_FORM),
                command.asked().endpoint().nodeName(),
                Outcome.ANSWERED);
    }

    private void fail(Unserved command, OneHopException failure) {
        failed(name(command.asked()), failure);
        command.sink().fail(failure);
    }

    private void send(List<Unserved> round, Snapshot newest, Deadline deadline) {
        Batch batch = Batch.ofSentOn(newest, this);
        asking = newest;
        for (Unserved command : round) {
            Node master = newest.topology().find(command.master());
            if (master == null) { // The configuration no longer has this master.
                end(command);
                continue;
            }
            int fallback =
                    command.fallsBack() ? newest.fallback(command.asked(), master.index()) : -1;
            BatchExchange exchange =
                    fallback < 0 ? batch.of(master.index()) : batch.of(master.index(), fallback);
            Command entry = Commands.known(command.arguments(), snapshot.commands());
            prepare(exchange, entry, command.arguments(), scripts);
            append(exchange, entry, command.arguments(), command.sink());
        }
        send(batch, deadline);
    }
}
