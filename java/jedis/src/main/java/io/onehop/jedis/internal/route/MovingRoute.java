package io.onehop.jedis.internal.route;

import io.onehop.core.command.Command;
import io.onehop.core.command.Command.Spread;
import io.onehop.jedis.internal.batch.Batch;
import io.onehop.jedis.internal.batch.BatchExchange;
import io.onehop.jedis.internal.batch.Merge;
import io.onehop.jedis.internal.batch.Reply;
import io.onehop.jedis.internal.command.Commands;
import io.onehop.jedis.internal.command.MovingKeys;
import io.onehop.jedis.internal.command.MovingKeys.Found;
import io.onehop.jedis.internal.command.Plan;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.request.RoutedArguments;
import io.onehop.jedis.internal.snapshot.Snapshot;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The route over a snapshot whose keys move from another ring.
 *
 * <p>A command without such keys is routed as usual. If the owner of such a key has nothing, a
 * command that only reads asks the old owner. Every other command brings such keys first. Snapshots
 * without keys that move have a {@link Route}, which knows nothing of all this. Any thread.
 * Implements spec/topology/moving.md.
 */
final class MovingRoute extends Route {
    private static final Set<String> FLUSHES = Set.of("flushdb", "flushall");

    private final MovingKeys moving;

    /** A route of the same client over a snapshot. */
    MovingRoute(Route before, Snapshot snapshot, @Nullable Deadline begun) {
        super(before, snapshot, begun, MovingRunner::new);
        this.moving = new MovingKeys(snapshot.topology(), snapshot.keys());
    }

    @Override
    Route by(Deadline deadline) {
        return new MovingRoute(this, snapshot(), deadline);
    }

    private MovingRunner movingRunner() {
        return (MovingRunner) runner();
    }

    /* ---- One command ---- */

    @Override
    <T> @Nullable T execute(CommandObject<T> command, Command entry) {
        CommandArguments arguments = command.getArguments();
        if (FLUSHES.contains(entry.name())) {
            return flush(command, entry);
        }
        Found found = moving.of(entry, arguments, true);
        if (found.keys().isEmpty()) {
            return super.execute(command, entry);
        }
        if (found.asks()) {
            Batch batch = runner().begin();
            Reply<T> reply = append(command, batch);
            runner().run(batch);
            return reply.get();
        }
        if (intake().onlyHome(entry, arguments) < 0) {
            intake().plan(entry, arguments); // If this refuses the command, no key is brought.
        }
        MovingRoute begun = new MovingRoute(this, snapshot(), runner().deadline());
        begun.bring(found.keys(), null, begun.runner().deadline());
        return begun.executeNow(command, entry);
    }

    private <T> @Nullable T executeNow(CommandObject<T> command, Command entry) {
        return super.execute(command, entry);
    }

    /**
     * Flushes twice, because a key may have moved from a node that was not flushed yet to a node
     * that was.
     */
    private <T> @Nullable T flush(CommandObject<T> command, Command entry) {
        MovingRoute begun = new MovingRoute(this, snapshot(), runner().deadline());
        begun.executeNow(command, entry);
        return begun.executeNow(command, entry);
    }

    @Override
    public List<byte[]> withMoving(CommandArguments arguments, List<byte[]> keys) {
        // If the table lacks the command, the transaction has asked a node before.
        Command entry = intake().known(arguments);
        if (entry == null) {
            return keys;
        }
        List<byte[]> all = new ArrayList<>(keys);
        moving.of(entry, arguments, false).keys().forEach(key -> all.add(key.clone()));
        return all;
    }

    @Override
    public void bring(List<byte[]> keys, @Nullable Pool held, Deadline deadline) {
        if (!keys.isEmpty()) {
            movingRunner().bring(keys, held, deadline);
        }
    }

    /* ---- Several ---- */

    @Override
    public <T> Reply<T> append(CommandObject<T> command, Batch batch) {
        CommandArguments arguments = command.getArguments();
        intake().check(command);
        Command entry = intake().entry(arguments, null);
        Found found = moving.of(entry, arguments, true);
        MovingRounds rounds = MovingRunner.rounds(batch);
        if (found.keys().isEmpty() && !rounds.isWaiting()) {
            return super.append(command, batch);
        }
        Commands.refuseUnknown(entry, arguments, "pipeline", snapshot().pool().name());
        CommandObject<T> copy = new CommandObject<>(copy(arguments), command.getBuilder());
        Plan plan = plan(entry, arguments, found);
        Reply<T> reply = new Reply<>(command.getBuilder());
        List<byte[]> keys = found.keys().stream().map(byte[]::clone).toList();
        batch.waits(Intake.waitMs(entry, copy.getArguments())); // Before its deadline is set.
        rounds.wait(
                found.asks() ? List.of() : keys,
                reply,
                found.asks()
                        ? () -> ask(copy, plan, keys, batch, reply)
                        : () -> append(copy, plan, batch, reply));
        return reply;
    }

    private Plan plan(Command entry, CommandArguments arguments, Found found) {
        int home = intake().onlyHome(entry, arguments);
        if (home >= 0) {
            return new Plan(entry, Spread.ONE_NODE, home, Plan.NO_PARTS);
        }
        Plan plan = intake().plan(entry, arguments);
        return found.asks() && entry.spread() == Spread.SPLIT
                ? moving.apart(entry, arguments)
                : plan;
    }

    /**
     * A copy of the arguments, because the caller may change its arrays before the command is
     * encoded.
     */
    private static CommandArguments copy(CommandArguments arguments) {
        CommandArguments copy = new RoutedArguments(arguments.getCommand());
        for (int i = 1; i < arguments.size(); i++) {
            copy.add(arguments.get(i).getRaw().clone());
        }
        return copy;
    }

    private <T> void ask(
            CommandObject<T> command, Plan plan, List<byte[]> keys, Batch batch, Reply<T> reply) {
        CommandArguments arguments = command.getArguments();
        MovingRounds rounds = MovingRunner.rounds(batch);
        Command entry = plan.command();
        if (plan.parts().length > 0) {
            new Merge(command, plan, snapshot().pool(), reply)
                    .scatter(
                            batch,
                            runner().scripts(),
                            (part, merging) -> {
                                byte[] key = MovingKeys.key(entry, arguments, part.key(0));
                                int old = moving.oldOwner(key);
                                return old < 0
                                        ? merging
                                        : rounds.asking(
                                                key,
                                                part.node(),
                                                old,
                                                to ->
                                                        to.exchange()
                                                                .append(
                                                                        arguments, part, true,
                                                                        to.sink()),
                                                merging);
                            });
            return;
        }
        byte[] key = keys.get(0);
        BatchExchange exchange = batch.of(plan.home(), entry);
        exchange.append(
                arguments,
                entry.isRetryable(),
                rounds.asking(
                        key,
                        plan.home(),
                        moving.oldOwner(key),
                        to -> to.exchange().append(arguments, true, to.sink()),
                        reply));
    }

    /**
     * Runs the batches of a snapshot whose keys move from another ring, in the rounds of {@link
     * MovingRounds}. Any thread; but a batch belongs to one thread.
     */
    private static final class MovingRunner extends BatchRunner {
        private final KeyBringer bringer;

        MovingRunner(Snapshot snapshot, ClientState client, @Nullable Deadline begun) {
            super(snapshot, client, begun);
            MovingKeys keys = new MovingKeys(snapshot.topology(), snapshot.keys());
            this.bringer = new KeyBringer(snapshot, keys, this::run);
        }

        @Override
        public Batch begin() {
            return Batch.of(snapshot(), new MovingRounds(snapshot(), this::bring, this::run));
        }

        /** The rounds of a batch that this runner has begun. */
        static MovingRounds rounds(Batch batch) {
            if (batch.forwarding() instanceof MovingRounds rounds) {
                return rounds;
            }
            throw new IllegalArgumentException("a batch of another runner");
        }

        @Override
        void run(Batch batch, Deadline deadline) {
            rounds(batch).begin(deadline);
            super.run(batch, deadline);
        }

        private Map<ByteBuffer, RuntimeException> bring(List<byte[]> keys, Deadline deadline) {
            return bringer.bring(keys, null, deadline);
        }

        /** Brings these keys. Throws the error or the failure of one that could not be brought. */
        void bring(List<byte[]> keys, @Nullable Pool held, Deadline deadline) {
            Map<?, RuntimeException> missing = bringer.bring(keys, held, deadline);
            if (!missing.isEmpty()) {
                throw missing.values().iterator().next();
            }
        }
    }
}
