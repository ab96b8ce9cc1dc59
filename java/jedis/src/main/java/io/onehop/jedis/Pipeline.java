package io.onehop.jedis;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.CommandObjects;
import redis.clients.jedis.Response;

/**
 * A pipeline over all nodes: commands are placed and encoded as they are added, sent and answered at {@link #sync}, all
 * nodes at once.
 *
 * <p>It holds no connection before {@code sync} and none after. For one thread, and it makes none.
 */
final class Pipeline extends AbstractPipeline {
    private final Route route;
    private final String pool;
    private Lanes lanes;
    private List<Reply<?>> replies;

    Pipeline(CommandObjects commandObjects, Route route) {
        super(commandObjects);
        this.route = route;
        this.pool = route.topology().pool().name();
        begin();
    }

    private void begin() {
        lanes = new Lanes(route.pools());
        replies = new ArrayList<>();
    }

    @Override
    protected <T> Response<T> appendCommand(CommandObject<T> command) {
        Commands.refuseHooks(command.getArguments(), "pipeline", pool);
        Reply<T> reply = route.append(command, lanes);
        replies.add(reply);
        return reply;
    }

    /**
     * Sends everything that was added and settles every Response, with a value, the node's error or a failure. Throws
     * after that if a node failed: its failure if nothing arrived, otherwise {@link PartialBatch}.
     */
    @Override
    public void sync() {
        if (replies.isEmpty()) {
            return;
        }
        Lanes sent = lanes;
        List<Reply<?>> settled = replies;
        begin();
        route.run(sent);
        Map<String, OneHopException> failures = new LinkedHashMap<>();
        boolean hasArrived = false;
        for (Lane lane : sent.used()) {
            hasArrived |= lane.hasArrived();
            if (lane.failure() != null) {
                failures.put(lane.pool().endpoint().name(), lane.failure());
            }
        }
        if (!failures.isEmpty()) {
            throw Failure.ofBatch(failures, hasArrived, pool, hasArrived ? told(settled) : List.of());
        }
    }

    private static List<Object> told(List<Reply<?>> replies) {
        List<Object> told = new ArrayList<>(replies.size());
        for (Reply<?> reply : replies) {
            told.add(reply.told());
        }
        return told;
    }

    /**
     * Sends what was added since the last {@link #sync}, if anything, and throws as that does; a failure already thrown
     * is not thrown again.
     */
    @Override
    public void close() {
        sync();
    }
}
