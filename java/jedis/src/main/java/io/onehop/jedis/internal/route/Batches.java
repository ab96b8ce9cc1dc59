package io.onehop.jedis.internal.route;

import io.onehop.core.command.Command;
import io.onehop.jedis.DeadlineExceeded;
import io.onehop.jedis.NodeDown;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.batch.Lane;
import io.onehop.jedis.internal.batch.Lanes;
import io.onehop.jedis.internal.batch.Prelude;
import io.onehop.jedis.internal.batch.Reply;
import io.onehop.jedis.internal.batch.RetryBudget;
import io.onehop.jedis.internal.batch.Scatter;
import io.onehop.jedis.internal.cluster.Cluster;
import io.onehop.jedis.internal.cluster.Redirects;
import io.onehop.jedis.internal.command.Commands;
import io.onehop.jedis.internal.command.Scripts;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.snapshot.Snapshot;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;

import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;

/**
 * Batches that go by one snapshot: their lanes are made here, filled, and run, until every command
 * has its reply or its failure. A command that an {@link Exchange} cannot carry is a batch of one.
 *
 * <p>Any thread; a batch is one thread's.
 */
public final class Batches {
    private final Snapshot snapshot;
    private final Scripts scripts;
    private final RetryBudget budget;
    private final Cluster cluster;
    private final BiConsumer<List<Lane>, Deadline> send = this::run;

    Batches(Snapshot snapshot, Scripts scripts, RetryBudget budget, Cluster cluster) {
        this.snapshot = snapshot;
        this.scripts = scripts;
        this.budget = budget;
        this.cluster = cluster;
    }

    Snapshot snapshot() {
        return snapshot;
    }

    Scripts scripts() {
        return scripts;
    }

    /** When a call that begins now must be over. */
    Deadline deadline() {
        return Deadline.in(snapshot.pool().timeoutMs());
    }

    /** The lanes of a batch. */
    public Lanes lanes() {
        return Lanes.of(snapshot, snapshot.pool().cluster() ? redirects() : null);
    }

    /** For the commands of one batch that are to be sent on. */
    Redirects redirects() {
        return new Redirects(snapshot, scripts, cluster, send);
    }

    /** Puts a command into the lane of its node. */
    <T> Reply<T> append(CommandObject<T> command, Command entry, Lane lane) {
        CommandArguments arguments = command.getArguments();
        Reply<T> reply = new Reply<>(command.getBuilder());
        if (Commands.isStranger(entry, arguments)) {
            lane.closeAfter();
        }
        Prelude.append(entry, arguments, scripts, lane);
        lane.append(arguments, entry.isRetryable(), reply);
        return reply;
    }

    /** One command for the node of one place, by the deadline. */
    <T> T ask(int place, CommandObject<T> command, Command entry, Deadline deadline) {
        Lanes lanes = lanes();
        Reply<T> reply = append(command, entry, lanes.of(place));
        run(lanes, deadline);
        return reply.get();
    }

    /** Sends what is in the lanes and tells every reply. */
    public void run(Lanes lanes) {
        run(lanes, deadline().later(lanes.waitMs()));
    }

    private void run(Lanes lanes, Deadline deadline) {
        run(lanes.used(), deadline);
        lanes.follow(deadline);
    }

    /** Sends what is in the lanes; what redirects is noted. */
    private void run(List<Lane> lanes, Deadline deadline) {
        Scatter.run(lanes, deadline, budget);
        if (snapshot.pool().cluster()) {
            lanes.stream().map(Lane::failure).filter(Objects::nonNull).forEach(this::failed);
        }
    }

    /** A node of a Redis Cluster that cannot be reached may be none any more. */
    void failed(OneHopException failure) {
        if (snapshot.pool().cluster()
                && (failure instanceof NodeDown || failure instanceof DeadlineExceeded)) {
            cluster.want(null);
        }
    }
}
