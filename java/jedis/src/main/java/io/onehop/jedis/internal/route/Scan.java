package io.onehop.jedis.internal.route;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.base.Message;
import io.onehop.core.command.Command;
import io.onehop.core.command.KeptCursors;
import io.onehop.core.command.ScanCursor;
import io.onehop.core.topology.PoolTopology;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.command.Commands;
import io.onehop.jedis.internal.failure.Failure;

import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;

import java.util.List;

/**
 * SCAN over all nodes, one after another. The caller's cursor says which node is next.
 *
 * <p>In: a SCAN with such a cursor, or 0. Out: that node's reply, with the next cursor. Between
 * calls nothing is remembered but cursors that are too large. Implements spec/route/route.md,
 * "SCAN".
 */
final class Scan {
    private static final int CURSOR = 1;

    private final BatchRunner runner;
    private final KeptCursors cursors;
    private final PoolTopology topology;

    Scan(BatchRunner runner, KeptCursors cursors) {
        this.cursors = cursors;
        this.runner = runner;
        this.topology = runner.snapshot().topology();
    }

    <T> T run(CommandObject<T> command, Command entry) {
        CommandArguments arguments = command.getArguments();
        String pool = topology.pool().name();
        if (arguments.size() <= CURSOR) {
            throw Commands.malformed("SCAN", Message.NO_CURSOR.what(), pool);
        }
        int[] homes = runner.snapshot().keys().scanned();
        int nodes = homes.length;
        ScanCursor cursor =
                ScanCursor.read(topology.fingerprint(), nodes, arguments.get(CURSOR).getRaw());
        if (cursor == null) {
            throw Failure.ofPool(Message.CURSOR_STRANGE, pool, Outcome.NOT_SENT);
        }
        Long within = cursors.find(cursor.within());
        if (within == null) {
            throw Failure.ofPool(Message.CURSOR_LOST, pool, Outcome.NOT_SENT);
        }
        Object answer =
                runner.ask(
                        homes[cursor.node()],
                        new CommandObject<>(
                                asked(arguments, Long.toUnsignedString(within)),
                                BuilderFactory.RAW_OBJECT),
                        entry,
                        runner.deadline());
        if (!(answer instanceof List<?> pair)
                || pair.size() != 2
                || !(pair.get(0) instanceof byte[] own)) {
            throw violation(Message.UNEXPECTED_FORM, homes[cursor.node()]);
        }
        Long answered = ScanCursor.number(own);
        if (answered == null) {
            throw violation(Message.CURSOR_TOO_LARGE, homes[cursor.node()]);
        }
        cursors.keep(answered);
        byte[] next = cursor.next(topology.fingerprint(), nodes, answered);
        return command.getBuilder().build(List.of(next, pair.get(1)));
    }

    private OneHopException violation(Message message, int home) {
        return Failure.of(
                message,
                runner.snapshot().poolAt(home).endpoint().nodeName(),
                Outcome.ANSWERED,
                null);
    }

    /** The command with the node's own cursor in place of the caller's. */
    private static CommandArguments asked(CommandArguments arguments, String own) {
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
