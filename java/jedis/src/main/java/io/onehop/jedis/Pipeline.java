package io.onehop.jedis;

import io.onehop.jedis.internal.batch.Batch;
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
    private record Queued(Route route, Batch batch, List<Reply<?>> replies) {
        static Queued of(Route route) {
            return new Queued(route, route.runner().begin(), new ArrayList<>());
        }

        String pool() {
            return route.snapshot().pool().name();
        }
    }

    private final CurrentRoute current;
    private Queued queued; // Null: nothing was added yet.

    Pipeline(CommandObjects commandObjects, CurrentRoute current) {
        super(commandObjects);
        this.current = current;
    }

    @Override
    protected <T> Response<T> appendCommand(CommandObject<T> command) {
        if (queued == null) {
            queued = Queued.of(current.take());
        }
        Commands.refuseHooks(command.getArguments(), "pipeline", queued.pool());
        Reply<T> reply = queued.route().append(command, queued.batch());
        queued.replies().add(reply);
        return reply;
    }

    /**
     * Sends everything that was added and settles every Response, with a value, the node's error or
     * a failure. Throws after that if a node failed: its failure if nothing arrived, otherwise
     * {@link PartialBatch}.
     */
    @Override
    public void sync() {
        if (queued == null) {
            return;
        }
        Queued sent = queued;
        queued = null;
        sent.route().runner().run(sent.batch());
        Map<String, OneHopException> failures = sent.batch().failures();
        if (!failures.isEmpty()) {
            boolean hasArrived = sent.batch().hasArrived();
            throw Failure.ofBatch(
                    failures,
                    hasArrived,
                    sent.pool(),
                    hasArrived ? told(sent.replies()) : List.of());
        }
    }

    @Override
    public List<Object> syncAndReturnAll() {
        Queued sent = queued;
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
