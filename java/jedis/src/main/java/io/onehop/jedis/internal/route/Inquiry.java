package io.onehop.jedis.internal.route;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.base.Limits;
import io.onehop.core.base.Message;
import io.onehop.core.command.Command;
import io.onehop.core.command.Command.Spread;
import io.onehop.core.command.CommandIndex;
import io.onehop.core.command.KeptCommands;
import io.onehop.core.command.Learnt;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.command.Plan;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.failure.Shown;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.request.RoutedArguments.ArgumentWords;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisDataException;

import java.util.Objects;

/**
 * Asks a node for the meaning of a command that the table does not hold.
 *
 * <pre>
 *     command ─► kept by the client? ─► COMMAND INFO to one node ─► learnt command, kept
 * </pre>
 *
 * <p>So the first call of such a command costs the client one round trip. If only the node can find
 * the keys, COMMAND GETKEYS precedes each call. A question has a connection of its own, and no lock
 * is held while it is asked. Any thread. Implements spec/route/route.md, "Commands that only the
 * nodes know".
 */
final class Inquiry {
    private final AnyNode anyNode;
    private final KeptCommands kept;
    private final String pool;

    Inquiry(AnyNode anyNode, KeptCommands kept, String pool) {
        this.anyNode = anyNode;
        this.kept = kept;
        this.pool = pool;
    }

    /** The entry of a command if it is known without a question; otherwise {@code null}. */
    @Nullable Command recall(CommandArguments arguments) {
        ArgumentWords words = new ArgumentWords(arguments);
        Learnt learnt = kept.find(words);
        Command entry = learnt == null ? null : entry(learnt, words);
        return entry == null || entry.asksKeys() ? null : entry;
    }

    /**
     * The entry of a command, after as many questions as necessary. {@code held}: the caller has
     * leased a connection of this pool.
     */
    Command ask(CommandArguments arguments, @Nullable Pool held) {
        ArgumentWords words = new ArgumentWords(arguments);
        Learnt known = kept.find(words);
        Command entry = entry(known == null ? describe(words, held) : known, words);
        return entry.asksKeys() && entry.spread() != Spread.REFUSED
                ? withKeys(entry, words, held)
                : entry;
    }

    private Command entry(Learnt learnt, ArgumentWords words) {
        Command entry = learnt.entry(words);
        if (entry == null) {
            throw Failure.ofPool(Message.DENIED, pool, Outcome.NOT_SENT, name(words));
        }
        return entry;
    }

    private Learnt describe(ArgumentWords words, @Nullable Pool held) {
        CommandArguments question =
                new CommandArguments(Protocol.Command.COMMAND).add("INFO").add(words.word(0));
        Learnt learnt = kept.learn(words, answer(question, Message.UNDESCRIBED, words, held));
        if (learnt == null) {
            throw unanswered(Message.UNDESCRIBED, words, Message.LEARNT_UNREADABLE.what());
        }
        return learnt;
    }

    /**
     * Asks a node for the keys of a command. That node also gets the values of the command,
     * although another node may have its keys.
     */
    private Command withKeys(Command entry, ArgumentWords words, @Nullable Pool held) {
        CommandArguments question = new CommandArguments(Protocol.Command.COMMAND).add("GETKEYS");
        for (int i = 0; i < words.count(); i++) {
            question.add(words.word(i));
        }
        Object answer = answer(question, Message.KEYS_UNFOUND, words, held);
        int[] positions = Learnt.positions(words, answer);
        if (positions == null) {
            throw unanswered(Message.KEYS_UNFOUND, words, Message.LEARNT_UNREADABLE.what());
        }
        return entry.withKeys(positions);
    }

    /**
     * The answer to a question. If it is an error, the command is refused. If the question fails
     * otherwise, the failure says that the command was not sent.
     */
    private @Nullable Object answer(
            CommandArguments question,
            Message otherwise,
            ArgumentWords words,
            @Nullable Pool held) {
        Command entry =
                Objects.requireNonNull(CommandIndex.find(new ArgumentWords(question)), "COMMAND");
        try {
            return anyNode.run(
                    new CommandObject<>(question, BuilderFactory.RAW_OBJECT),
                    Plan.anyNode(entry),
                    held);
        } catch (JedisDataException error) {
            throw unanswered(otherwise, words, Shown.of(Failure.text(error)));
        } catch (OneHopException failure) {
            throw Failure.unsent(failure);
        }
    }

    private OneHopException unanswered(Message message, ArgumentWords words, String answer) {
        return Failure.ofPool(message, pool, Outcome.NOT_SENT, name(words), answer);
    }

    private String name(ArgumentWords words) {
        String first = Shown.of(words.word(0), Limits.SHOWN_BYTES_MAX);
        return kept.names(words) == 1
                ? first
                : first + " " + Shown.of(words.word(1), Limits.SHOWN_BYTES_MAX);
    }
}
