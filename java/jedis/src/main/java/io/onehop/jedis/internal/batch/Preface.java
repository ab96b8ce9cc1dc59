package io.onehop.jedis.internal.batch;

import io.onehop.core.base.Words;
import io.onehop.core.command.Command;
import io.onehop.jedis.internal.command.Scripts;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;

/**
 * Commands that are sent before a caller's command on its connection. The caller does not see their
 * replies.
 *
 * <p>WAIT counts only the writes of its own connection, and those may be other callers' writes. An
 * empty PUBLISH before it moves the connection past every acknowledged write of its node. A failed
 * EVALSHA in a batch cannot be repaired afterwards, so its script is sent before it, once for each
 * node. Implements spec/route/route.md, "WAIT" and "Scripts".
 */
public final class Preface {
    private static final CommandArguments PUBLISH =
            new CommandArguments(Protocol.Command.PUBLISH).add(Words.WAIT_CHANNEL).add("");

    private Preface() {}

    /** True if a command asks about the writes of its connection. */
    public static boolean isOfWrites(Command command) {
        return "writes".equals(command.state());
    }

    public static void append(
            Command command, CommandArguments arguments, Scripts scripts, BatchExchange exchange) {
        if (isOfWrites(command)) {
            exchange.append(PUBLISH, true, ReplySink.NOBODY);
            exchange.stay();
            exchange.at(PendingReplies.NO_SLOT); // No other node can answer for these writes.
        }
        String digest = Scripts.digest(command, arguments);
        if (digest == null || !exchange.addScript(digest)) {
            return;
        }
        CommandArguments load = scripts.load(digest);
        if (load != null) {
            exchange.append(load, true, ReplySink.NOBODY);
        }
    }
}
