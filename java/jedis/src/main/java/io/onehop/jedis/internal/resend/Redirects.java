package io.onehop.jedis.internal.resend;

import io.onehop.core.Node;
import io.onehop.core.base.Words;
import io.onehop.core.cluster.Redirect;
import io.onehop.core.command.Command;
import io.onehop.core.topology.PoolTopology;
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
import io.onehop.jedis.internal.nodes.Cluster;
import io.onehop.jedis.internal.pool.NodeHealth;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.snapshot.Snapshot;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisDataException;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * The commands of one batch that a node of a Redis Cluster has redirected, because the node does
 * not have their slot, or cannot serve the slot now. They are sent in rounds until each has a
 * reply.
 *
 * <pre>
 *     batch ─► replies ─► a redirecting error? note its command, its slot and its sink
 *                │
 *                └─ all are in ─► the noted commands, to the nodes that were named ─► replies,
 *                                 or one more round
 * </pre>
 *
 * <p>In: errors instead of replies, as a {@link BatchExchange} reads them. Out: every sink has its
 * reply or failure, by the batch's own deadline. Commands of one slot stay together and in order.
 * {@link Redirect} decides what each error means. For one thread. Implements spec/route/route.md,
 * "Redirects".
 */
public final class Redirects extends Resend {
    private static final CommandArguments ASKING = new CommandArguments(Protocol.Command.ASKING);

    /** One command on its way. */
    private static final class RedirectedCommand implements ReplySink {
        private final CommandArguments arguments;
        private final @Nullable Command entry;
        private final int slot;
        private final ReplySink sink;
        private Pool asked;
        private @Nullable JedisDataException error; // Null: the node has failed.
        private boolean fallsBack; // The command goes to the fallback of its node next.
        // The failure of its node; the command waits for a successor of that node.
        private @Nullable OneHopException failure;
        // The worst failure of all its nodes: one of them may have executed the command.
        private @Nullable OneHopException worst;
        private int hops;
        private int tries;

        RedirectedCommand(
                Pool asked,
                CommandArguments arguments,
                @Nullable Command entry,
                int slot,
                ReplySink sink) {
            this.asked = asked;
            this.arguments = arguments;
            this.entry = entry;
            this.slot = slot;
            this.sink = sink;
        }

        @Override
        public boolean take(@Nullable Object reply) {
            return sink.take(reply);
        }

        @Override
        public void fail(OneHopException failure) {
            sink.fail(worst == null ? failure : Failure.worse(failure, worst));
        }
    }

    /**
     * Where the commands of one slot go in this round: to the named node, or, after a pause, to the
     * owner of the slot.
     */
    private record Target(Redirect.Action action, @Nullable String node, int waitMs) {}

    private final Snapshot snapshot; // The snapshot of the batch.
    private Snapshot sentBy; // The snapshot of the last round.
    private final Scripts scripts;
    private final Cluster cluster;
    // In the order in which their nodes answered.
    private List<RedirectedCommand> noted = Collections.emptyList();

    /** {@code send} runs exchanges until each is done or failed, by the deadline. */
    public Redirects(
            Snapshot snapshot,
            Scripts scripts,
            Cluster cluster,
            BiConsumer<List<BatchExchange>, Deadline> send) {
        super(send);
        this.snapshot = snapshot;
        this.sentBy = snapshot;
        this.scripts = scripts;
        this.cluster = cluster;
    }

    @Override
    public boolean noteRefused(SentCommand command, JedisDataException error, boolean mayFallBack) {
        if (mayFallBack && fallsBack(command, error)) {
            noteForFallback(command);
            return true;
        }
        boolean isRedirect = Redirect.isOne(error.getMessage());
        if (isRedirect) {
            note(command).error = error;
        }
        return isRedirect;
    }

    /**
     * True if the fallback may answer instead of this master. (For replicas {@link Redirect}
     * decides.)
     */
    private boolean fallsBack(SentCommand command, JedisDataException error) {
        return Words.REDIRECT_MASTER.contains(Redirect.word(Failure.text(error)))
                && command.asked() == snapshot.poolAt(command.home())
                && hasFallback(command.asked(), command.home());
    }

    @Override
    public boolean hasFallback(Pool asked, int slot) {
        return snapshot.hasFallback(asked, slot);
    }

    @Override
    public boolean noteFailed(
            SentCommand command, OneHopException failure, boolean isReadOnly, boolean fallsBack) {
        if (fallsBack) {
            noteForFallback(command);
            return true;
        }
        boolean goesOn = goesOn(command.asked(), command.home(), failure, isReadOnly);
        if (goesOn) {
            noteLeft(command, failure);
        }
        return goesOn;
    }

    private boolean goesOn(Pool asked, int slot, OneHopException failure, boolean isReadOnly) {
        return failure instanceof NodeDown
                && (isReadOnly || !failure.mayHaveExecuted())
                && cluster.snapshot().pool().cluster() // If not, the configuration has changed.
                && isOwner(sentBy, asked, slot)
                // Asked in this order, because the next map may come in between.
                && (!NodeHealth.saysNothing(failure) && cluster.awaitsFailover(asked)
                        || !isOwner(cluster.snapshot(), asked, slot));
    }

    /** True if this map gives the slot to that node. */
    private static boolean isOwner(Snapshot map, Pool asked, int slot) {
        return map.pool().cluster()
                && map.poolAt(slot).endpoint().name().equals(asked.endpoint().name());
    }

    private void noteForFallback(SentCommand command) {
        note(command).fallsBack = true;
        cluster.requestRefresh(null);
    }

    @Override
    public void noteLeft(SentCommand command, OneHopException failure) {
        RedirectedCommand noted = note(command);
        noted.failure = failure;
        noted.worst = Failure.worse(noted.worst, failure);
        cluster.requestRefresh(null);
    }

    private RedirectedCommand note(SentCommand sent) {
        RedirectedCommand command =
                sent.sink() instanceof RedirectedCommand known
                        ? known
                        : redirected(sent, sent.arguments().get());
        command.asked = sent.asked();
        command.error = null;
        command.failure = null;
        noted = noted.isEmpty() ? new ArrayList<>() : noted;
        noted.add(command);
        return command;
    }

    private RedirectedCommand redirected(SentCommand sent, CommandArguments arguments) {
        Command entry = Commands.known(arguments, snapshot.commands());
        return new RedirectedCommand(sent.asked(), arguments, entry, sent.home(), sent.sink());
    }

    /**
     * What a redirect means on a dedicated connection: the transaction is lost as a whole, and is
     * never sent again. Returns {@code null} if the error is not a redirect but the answer. In both
     * cases the map learns from the error.
     */
    public static @Nullable OneHopException ofHeld(
            JedisDataException answer, Pool asked, Snapshot snapshot, Cluster cluster) {
        PoolTopology map = map(asked, snapshot, cluster);
        Map<Integer, String> moved = new HashMap<>();
        // An EXECABORT carries the errors of its commands.
        for (Throwable cause : answer.getSuppressed()) {
            learn(decide(text(cause), asked, map, false), map, cluster, moved);
        }
        learn(decide(Failure.text(answer), asked, map, false), map, cluster, moved);
        cluster.moved(moved);
        Redirect next = decide(Failure.text(answer), asked, map, true);
        return next.action() == Redirect.Action.NONE
                ? null
                : Failure.redirected(
                        reason(next), Failure.text(answer), asked.endpoint().nodeName());
    }

    private static String text(Throwable cause) {
        return Objects.requireNonNullElse(cause.getMessage(), "");
    }

    /** Why a command is given up. */
    private static String reason(Redirect last) {
        return Objects.requireNonNull(last.reason(), "Only GIVE_UP ends with a failure");
    }

    private static Redirect decide(String error, Pool asked, PoolTopology map, boolean isHeld) {
        return Redirect.decide(
                map, new Redirect.Case(error, indexed(map, asked), 0, 0, -1, isHeld, true, 0));
    }

    private static int indexed(PoolTopology map, Pool asked) {
        return Objects.requireNonNull(map.find(asked.endpoint().name())).index(); // See map().
    }

    /**
     * The newest map that has the node. If the configuration or the newest map lacks the node, that
     * is the map of the batch itself.
     */
    private static PoolTopology map(Pool asked, Snapshot snapshot, Cluster cluster) {
        PoolTopology newest = cluster.topology();
        return newest.pool().cluster() && newest.find(asked.endpoint().name()) != null
                ? newest
                : snapshot.topology();
    }

    /**
     * Notes how a redirect changes the map, and returns the name of the node that the redirect
     * names, or {@code null}. All redirects of a round change the map together, because each change
     * makes a new map and redirects may be many.
     */
    private static @Nullable String learn(
            Redirect next, PoolTopology map, Cluster cluster, Map<Integer, String> moved) {
        boolean isNamed =
                next.action() == Redirect.Action.FOLLOW || next.action() == Redirect.Action.ASK;
        String node = isNamed ? map.byIndex().get(next.node()).name() : null;
        if (next.hasMoved() && node != null) {
            moved.put(next.slot(), node);
        }
        if (next.wantsRefresh()) {
            cluster.requestRefresh(node);
        }
        return node;
    }

    /* ---- Rounds ---- */

    @Override
    public void follow(Deadline deadline) {
        List<RedirectedCommand> waiting = new ArrayList<>();
        int waitMs = 0;
        while (!noted.isEmpty() || !waiting.isEmpty()) {
            List<RedirectedCommand> round = noted;
            noted = Collections.emptyList();
            Map<Integer, Target> targets = new HashMap<>();
            List<RedirectedCommand> going = new ArrayList<>();
            Map<Integer, String> moved = new HashMap<>();
            boolean isFresh = false;
            for (RedirectedCommand command : round) {
                PoolTopology map = map(command.asked, snapshot, cluster);
                Redirect next = decide(command, map, deadline, isFresh);
                if (next.action() == Redirect.Action.REFRESH) {
                    // Even if the refresh brought no map, no other command of the round waits for
                    // a refresh.
                    isFresh = true;
                    cluster.awaitRefresh(deadline);
                    map = map(command.asked, snapshot, cluster);
                    next = decide(command, map, deadline, true);
                }
                Target target = aim(command, next, map, targets, moved);
                if (target != null) {
                    boolean waits = target.action() == Redirect.Action.AGAIN;
                    (waits ? waiting : going).add(command);
                }
            }
            cluster.moved(moved);
            waitMs = targets.values().stream().mapToInt(Target::waitMs).reduce(waitMs, Math::max);
            if (going.isEmpty() && !waiting.isEmpty()) {
                pause(waitMs);
                awaitFailovers(waiting, deadline);
                going = waiting;
                waiting = new ArrayList<>();
                waitMs = 0;
            }
            send(going, targets, deadline);
        }
    }

    /** Waits for news if a command has failed at the node that has its slot. */
    private void awaitFailovers(List<RedirectedCommand> waiting, Deadline deadline) {
        Snapshot newest = cluster.snapshot();
        if (waiting.stream()
                .anyMatch(each -> each.failure != null && isOwner(newest, each.asked, each.slot))) {
            cluster.awaitUrgently(deadline);
        }
        if (deadline.hasPassed() || Thread.currentThread().isInterrupted()) {
            waiting.removeIf(this::endsWithFailure);
        }
    }

    private boolean endsWithFailure(RedirectedCommand command) {
        if (command.failure != null) {
            failed(name(command.asked), command.failure);
            command.fail(command.failure);
        }
        return command.failure != null;
    }

    private static Redirect decide(
            RedirectedCommand command, PoolTopology map, Deadline deadline, boolean isFresh) {
        Node asked = map.find(command.asked.endpoint().name());
        // The node has left the map or failed, so the slot has another master.
        if (asked == null || command.error == null) {
            return new Redirect(Redirect.Action.AGAIN, 0, command.slot, false, true, 0, null);
        }
        long leftMs = deadline.isBounded() ? TimeUnit.NANOSECONDS.toMillis(deadline.waitNs()) : -1;
        return Redirect.decide(
                map,
                new Redirect.Case(
                        Failure.text(command.error),
                        asked.index(),
                        command.hops,
                        command.tries,
                        leftMs,
                        false,
                        isFresh,
                        ThreadLocalRandom.current().nextInt()));
    }

    /**
     * Decides where a command goes next, which is where the first command of its slot goes. {@code
     * null} if the command has ended.
     */
    private @Nullable Target aim(
            RedirectedCommand command,
            Redirect next,
            PoolTopology map,
            Map<Integer, Target> targets,
            Map<Integer, String> moved) {
        String node =
                learn(next, map, cluster, next.slot() == command.slot ? moved : new HashMap<>());
        if (next.action() == Redirect.Action.NONE) {
            command.take(command.error);
            arrived();
            return null;
        }
        if (next.action() == Redirect.Action.GIVE_UP) {
            OneHopException failure =
                    Failure.redirected(
                            reason(next),
                            command.error == null ? "" : Failure.text(command.error),
                            command.asked.endpoint().nodeName());
            failed(name(command.asked), failure);
            command.fail(failure);
            return null;
        }
        if (next.action() != Redirect.Action.AGAIN) {
            command.asked.meter().redirected();
        }
        return targets.computeIfAbsent(
                command.slot, slot -> new Target(next.action(), node, next.waitMs()));
    }

    private void send(
            List<RedirectedCommand> going, Map<Integer, Target> targets, Deadline deadline) {
        Snapshot newest = cluster.snapshot();
        Snapshot current = newest.pool().cluster() ? newest : snapshot;
        sentBy = current;
        Batch batch = Batch.ofSentOn(current, this);
        for (RedirectedCommand command : going) {
            Target target = targets.get(command.slot);
            Node named =
                    target == null || target.node() == null
                            ? null
                            : current.topology().find(target.node());
            int node = named != null ? named.index() : place(command, current);
            command.hops += named != null ? 1 : 0;
            command.tries += named != null || command.error == null ? 0 : 1;
            BatchExchange exchange = batch.ofNode(node);
            prepare(exchange, command.entry, command.arguments, scripts);
            if (named != null && target != null && target.action() == Redirect.Action.ASK) {
                exchange.append(ASKING, true, ReplySink.NOBODY);
                exchange.bind(); // To the map, the slot still belongs to the node that said ASK.
            }
            append(exchange.at(command.slot), command.entry, command.arguments, command);
        }
        send(batch, deadline);
    }

    /**
     * The owner of the command's slot; for a read that falls back, the fallback of the node that
     * was asked.
     */
    private static int place(RedirectedCommand command, Snapshot current) {
        int fallback = command.fallsBack ? current.fallback(command.asked, command.slot) : -1;
        command.fallsBack = false;
        return fallback < 0 ? current.keys().nodeAt(command.slot) : fallback;
    }

    /** Waits. Returns early on an interrupt, which the next exchange reports. */
    private static void pause(int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
