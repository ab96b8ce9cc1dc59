package io.onehop.core.command;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Finds the entry of a command's words.
 *
 * <p>The entries are in {@link CommandTable}, which is generated. Any thread. Implements
 * spec/route/route.md, "Finding the entry".
 */
public final class CommandIndex {
    private static final Map<String, Command> COMMANDS = new HashMap<>();

    static {
        for (Command command : CommandTable.commands()) {
            int bar = command.name().indexOf('|');
            if (bar < 0) {
                COMMANDS.put(command.name(), command);
            } else {
                Objects.requireNonNull(COMMANDS.get(command.name().substring(0, bar)))
                        .add(command.name().substring(bar + 1), command);
            }
        }
    }

    private CommandIndex() {}

    /** The entry of a command, or {@code null} if the table lacks it. */
    public static @Nullable Command find(CommandWords words) {
        Command found = named(words.word(0));
        return found == null ? null : found.resolve(words);
    }

    /** The entry of a name, which may be a container, or {@code null} if the table lacks it. */
    public static @Nullable Command named(byte[] name) {
        return named(Command.lower(name));
    }

    /** The entry of a name in lower case, or {@code null} if the table lacks it. */
    static @Nullable Command named(String name) {
        return COMMANDS.get(name);
    }
}
