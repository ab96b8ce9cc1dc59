package io.onehop.jedis;

import io.onehop.jedis.internal.batch.Lanes;
import io.onehop.jedis.internal.batch.Reply;
import io.onehop.jedis.internal.command.Commands;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.route.CurrentRoute;
import io.onehop.jedis.internal.route.Route;

import redis.clients.jedis.CommandObject;
import redis.clients.jedis.CommandObjects;
import redis.clients.jedis.Response;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A pipeline over all nodes: commands are placed and encoded as they are added, sent and answered
 * at {@link #sync}, all nodes at once.
 *
 * <p>It holds no connection before {@code sync} and none after. For one thread, and it makes none.
 */
final class Pipeline extends OneHopPipeline {
    /** What was added since the last {@link #sync}, placed by one route. */
    private record Batch(Route route, Lanes lanes, List<Reply<?>> replies) {
        static Batch of(Route route) {
            return new Batch(route, route.batches().lanes(), new ArrayList<>());
        }

        String pool() {
            return route.snapshot().pool().name();
        }
    }

    private final CurrentRoute current;
    private Batch batch; // Null: nothing was added yet.

    Pipeline(CommandObjects commandObjects, CurrentRoute current) {
        super(commandObjects);
        this.current = current;
    }

    @Override
    protected <T> Response<T> appendCommand(CommandObject<T> command) {
        if (batch == null) {
            batch = Batch.of(current.take());
        }
        Commands.refuseHooks(command.getArguments(), "pipeline", batch.pool());
        Reply<T> reply = batch.route().append(command, batch.lanes());
        batch.replies().add(reply);
        return reply;
    }

    /**
     * Sends everything that was added and settles every Response, with a value, the node's error or
     * a failure. Throws after that if a node failed: its failure if nothing arrived, otherwise
     * {@link PartialBatch}.
     */
    @Override
    public void sync() {
        if (batch == null) {
            return;
        }
        Batch sent = batch;
        batch = null;
        sent.route().batches().run(sent.lanes());
        Map<String, OneHopException> failures = sent.lanes().failures();
        if (!failures.isEmpty()) {
            boolean hasArrived = sent.lanes().hasArrived();
            throw Failure.ofBatch(
                    failures,
                    hasArrived,
                    sent.pool(),
                    hasArrived ? told(sent.replies()) : List.of());
        }
    }

    @Override
    public List<Object> syncAndReturnAll() {
        Batch sent = batch;
        sync();
        return sent == null ? new ArrayList<>() : told(sent.replies());
    }

    private static List<Object> told(List<Reply<?>> replies) {
        List<Object> told = new ArrayList<>(replies.size());
        for (Reply<?> reply : replies) {
            told.add(reply.told());
        }
        return told;
    }

    /**
     * Sends what was added since the last {@link #sync}, if anything, and throws as that does; a
     * failure already thrown is not thrown again.
     */
    @Override
    public void close() {
        sync();
    }
}
