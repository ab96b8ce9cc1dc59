package io.onehop.jedis.internal.batch;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.base.Message;
import io.onehop.core.command.Split;
import io.onehop.core.ssdb.Ssdb;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.failure.Shown;
import io.onehop.jedis.internal.request.RoutedArguments;
import io.onehop.jedis.internal.request.RoutedArguments.ArgumentWords;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * One command on its way to an SSDB node: it is translated, and its replies become one.
 *
 * <p>In: a command as Jedis built it, or a node's part of it. Out: no request, one, or several. A
 * command is checked as a whole before any part of it is queued, so a refused command has no
 * effect. Implements spec/route/route.md, "SSDB".
 */
public final class SsdbCommand implements ReplySink {
    private final Ssdb.Shape shape;
    private final ReplySink sink;
    private final List<Object> replies;
    private final int count;
    private boolean isOver;

    private SsdbCommand(Ssdb.Shape shape, int count, ReplySink sink) {
        this.shape = shape;
        this.count = count;
        this.sink = sink;
        this.replies = new ArrayList<>(count);
    }

    /**
     * Refuses commands that SSDB would misunderstand. Callers of sendCommand interpret replies
     * themselves, so any reply will do for them.
     */
    public static void check(CommandObject<?> command, String pool) {
        boolean isRaw = command.getBuilder() == BuilderFactory.RAW_OBJECT;
        Ssdb.Translation found = Ssdb.translate(new ArgumentWords(command.getArguments()), isRaw);
        if (found.refusal() != null) {
            throw Failure.ofPool(
                    Message.NOT_FOR_SSDB,
                    pool,
                    Outcome.NOT_SENT,
                    Shown.of(
                            new String(
                                    command.getArguments().getCommand().getRaw(),
                                    StandardCharsets.UTF_8)),
                    found.refusal().replaceAll("\\.$", ""));
        }
    }

    /** Calls {@code to} with each request of a checked command and with the sink of its reply. */
    static void translate(
            CommandArguments checked, ReplySink sink, BiConsumer<CommandArguments, ReplySink> to) {
        Ssdb.Translation found = Ssdb.translate(new ArgumentWords(checked), true);
        if (found.refusal() != null) {
            throw new IllegalStateException(found.refusal());
        }
        List<byte[][]> commands = found.commands();
        Ssdb.Shape shape = found.shape();
        if (commands == null || shape == null) {
            to.accept(checked, sink);
        } else if (commands.isEmpty()) {
            sink.take(shape.of(List.of()));
        } else {
            SsdbCommand one = new SsdbCommand(shape, commands.size(), sink);
            for (byte[][] words : commands) {
                to.accept(RoutedArguments.of(words), one);
            }
        }
    }

    /** A part of a command, as a command of its own. */
    static CommandArguments part(CommandArguments whole, Split.Part part) {
        CommandArguments words = new RoutedArguments(whole.getCommand());
        for (int i = 1; i < part.words(); i++) {
            words.add(whole.get(part.word(i)).getRaw());
        }
        return words;
    }

    @Override
    public boolean take(@Nullable Object reply) {
        replies.add(reply);
        if (replies.size() < count) {
            return true;
        }
        Object whole = shape.of(replies);
        isOver = whole != Ssdb.STRANGE && sink.take(whole);
        return isOver;
    }

    @Override
    public void fail(OneHopException failure) {
        if (!isOver) {
            isOver = true;
            sink.fail(failure);
        }
    }
}
