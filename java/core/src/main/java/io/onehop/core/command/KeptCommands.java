package io.onehop.core.command;

import io.onehop.core.base.Clock;
import io.onehop.core.base.Limits;
import io.onehop.core.base.Timings;

import org.jspecify.annotations.Nullable;

import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * What the nodes of one client have said of commands that the table does not hold.
 *
 * <p>Bounded: the oldest command makes room for a new one. Any thread. Threads that ask about the
 * same command at the same time get equal answers, and the last answer is kept. Implements
 * spec/route/route.md, "Commands that only the nodes know".
 */
public final class KeptCommands {
    private record Kept(Learnt learnt, long sinceMs) {}

    private final Map<String, Kept> commands = new ConcurrentHashMap<>();

    /**
     * What a node has said of the command of these words; {@code null}: nothing, or too long ago.
     */
    public @Nullable Learnt find(CommandWords words) {
        String name = name(words, names(words));
        return name == null ? Learnt.unknown() : find(name);
    }

    /**
     * Keeps what the answer to COMMAND INFO says of the command of these words. Returns {@code
     * null} if the answer is not a description of this command.
     */
    public @Nullable Learnt learn(CommandWords words, @Nullable Object answer) {
        int names = names(words);
        Learnt learnt = learn(words, names, answer);
        boolean goesOn = learnt != null && learnt.isContainer() && names < words.count();
        return goesOn ? learn(words, names + 1, answer) : learnt;
    }

    private @Nullable Learnt learn(CommandWords words, int names, @Nullable Object answer) {
        String first = name(words, 1);
        String whole = name(words, names);
        if (first == null || whole == null) {
            return Learnt.unknown();
        }
        String second = names == 1 ? null : whole.substring(first.length() + 1);
        Learnt learnt = Learnt.read(first, second, answer);
        if (learnt != null) {
            keep(whole, learnt);
        }
        return learnt;
    }

    /** How many words name the command: two if the first one is known to need a subcommand. */
    public int names(CommandWords words) {
        if (words.count() == 1) {
            return 1;
        }
        Command inTable = CommandIndex.named(words.word(0));
        String first = name(words, 1);
        Learnt learnt = inTable != null || first == null ? null : find(first);
        boolean isContainer =
                inTable != null ? inTable.isContainer() : learnt != null && learnt.isContainer();
        return isContainer ? 2 : 1;
    }

    /** The name as it is kept, with a bar before a subcommand; {@code null}: no such command. */
    private static @Nullable String name(CommandWords words, int names) {
        String first = Learnt.name(words.word(0));
        String second = names == 1 ? "" : Learnt.name(words.word(1));
        String whole = names == 1 ? first : first + "|" + second;
        return first == null
                        || second == null
                        || whole == null
                        || whole.length() > Command.NAME_BYTES_MAX
                ? null
                : whole;
    }

    private @Nullable Learnt find(String name) {
        Kept kept = commands.get(name);
        if (kept == null) {
            return null;
        }
        int ms = kept.learnt().isUnknown() ? Timings.COMMAND_UNKNOWN_MS : Timings.COMMAND_KNOWN_MS;
        return nowMs() - kept.sinceMs() < ms ? kept.learnt() : null;
    }

    private synchronized void keep(String name, Learnt learnt) {
        if (commands.size() >= Limits.LEARNT_COMMANDS_MAX && !commands.containsKey(name)) {
            commands.entrySet().stream()
                    .min(Comparator.comparingLong(each -> each.getValue().sinceMs()))
                    .ifPresent(oldest -> commands.remove(oldest.getKey()));
        }
        commands.put(name, new Kept(learnt, nowMs()));
    }

    /** Forgets a command: a node does not have it, whatever another node has said. */
    public void forget(String name) {
        commands.remove(name);
    }

    private static long nowMs() {
        return TimeUnit.NANOSECONDS.toMillis(Clock.nowNs());
    }
}
