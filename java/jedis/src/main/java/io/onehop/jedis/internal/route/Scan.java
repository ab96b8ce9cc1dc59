package io.onehop.jedis.internal.route;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.command.ScanCursor;
import io.onehop.core.topology.PoolTopology;
import io.onehop.jedis.internal.command.Commands;
import io.onehop.jedis.internal.failure.Failure;

import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.exceptions.JedisException;

import java.util.List;

/**
 * SCAN over all nodes, one after another. The caller's cursor says which node is next.
 *
 * <p>In: a SCAN with such a cursor, or 0. Out: that node's reply, with the next cursor. Nothing is
 * remembered between calls. Implements spec/route/route.md, "SCAN".
 */
final class Scan {
    private static final int CURSOR = 1;

    private final BatchRunner runner;
    private final PoolTopology topology;

    Scan(BatchRunner runner) {
        this.runner = runner;
        this.topology = runner.snapshot().topology();
    }

    <T> T run(CommandObject<T> command) {
        CommandArguments arguments = command.getArguments();
        String pool = topology.pool().name();
        if (arguments.size() <= CURSOR) {
            throw Commands.malformed("SCAN", "it has no cursor", pool);
        }
        int[] homes = runner.snapshot().keys().everywhere();
        int nodes = homes.length;
        ScanCursor cursor =
                ScanCursor.read(topology.fingerprint(), nodes, arguments.get(CURSOR).getRaw());
        if (cursor == null) {
            throw Commands.unsupported(
                    "SCAN with this cursor",
                    "the cursor is of another topology; begin again with 0",
                    pool);
        }
        Object answer =
                runner.ask(
                        homes[cursor.node()],
                        new CommandObject<>(
                                asked(arguments, cursor.within()), BuilderFactory.RAW_OBJECT),
                        Commands.known(arguments),
                        runner.deadline());
        byte[] next =
                answer instanceof List<?> pair
                                && pair.size() == 2
                                && pair.get(0) instanceof byte[] own
                        ? cursor.next(topology.fingerprint(), nodes, own)
                        : null;
        if (next == null) {
            throw Failure.of(
                    new JedisException("it answered SCAN with a cursor that cannot be handed on"),
                    runner.snapshot().poolAt(homes[cursor.node()]).endpoint().nodeName(),
                    Outcome.ANSWERED);
        }
        return command.getBuilder().build(List.of(next, ((List<?>) answer).get(1)));
    }

    /** The same command with the node's own cursor. */
    private static CommandArguments asked(CommandArguments arguments, long own) {
        CommandArguments asked = new CommandArguments(arguments.getCommand());
        for (int i = 1; i < arguments.size(); i++) {
            if (i == CURSOR) {
                asked.add(own);
            } else {
                asked.add(arguments.get(i));
            }
        }
        return asked;
    }
}
