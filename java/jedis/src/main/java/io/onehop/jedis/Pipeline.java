package io.onehop.jedis;

import io.onehop.jedis.internal.batch.Batch;
import io.onehop.jedis.internal.batch.Reply;
import io.onehop.jedis.internal.command.Commands;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.route.CallObserver.BatchName;
import io.onehop.jedis.internal.route.CurrentRoute;
import io.onehop.jedis.internal.route.Route;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandObject;
import redis.clients.jedis.CommandObjects;
import redis.clients.jedis.Response;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A pipeline over all nodes. Commands are placed and encoded when they are added. {@link #sync}
 * sends them to all nodes in parallel and reads the replies.
 *
 * <p>It uses connections only during {@code sync}. For one thread; it starts no threads.
 */
final class Pipeline extends OneHopPipeline {
    /** What was added since the last {@link #sync}, placed by one route. */
    private record Queued(
            Route route, Batch batch, List<Reply<?>> replies, @Nullable BatchName name) {
        static Queued of(Route route) {
            return new Queued(
                    route, route.runner().begin(), new ArrayList<>(), route.batchName("PIPELINE"));
        }

        String pool() {
            return route.snapshot().pool().name();
        }
    }

    private final CurrentRoute current;
    private @Nullable Queued queued; // Null if nothing was added yet.

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
        if (queued.name() != null) {
            queued.name().add(command.getArguments());
        }
        return reply;
    }

    /**
     * Sends everything that was added. Afterwards every Response has a value, the node's error or a
     * failure. If a node failed, throws {@link PartialBatch}, or that node's failure if nothing
     * arrived.
     */
    @Override
    public void sync() {
        if (queued == null) {
            return;
        }
        Queued sent = queued;
        queued = null;
        sent.route()
                .observed(
                        String.valueOf(sent.name()),
                        sent.replies().size(),
                        () -> {
                            run(sent);
                            return null;
                        });
    }

    private static void run(Queued sent) {
        sent.route().runner().run(sent.batch());
        Map<String, OneHopException> failures = sent.batch().failures();
        if (!failures.isEmpty()) {
            boolean hasArrived = sent.batch().hasArrived();
            throw Failure.ofBatch(
                    failures,
                    hasArrived,
                    sent.pool(),
                    hasArrived ? outcomes(sent.replies()) : List.of());
        }
    }

    @Override
    public List<Object> syncAndReturnAll() {
        Queued sent = queued;
        sync();
        return sent == null ? new ArrayList<>() : outcomes(sent.replies());
    }

    private static List<Object> outcomes(List<Reply<?>> replies) {
        List<Object> outcomes = new ArrayList<>(replies.size());
        for (Reply<?> reply : replies) {
            outcomes.add(reply.outcome());
        }
        return outcomes;
    }

    /**
     * If commands were not sent yet, calls {@link #sync}, and throws the same failures. A failure
     * that was thrown already is not thrown again.
     */
    @Override
    public void close() {
        sync();
    }
}
