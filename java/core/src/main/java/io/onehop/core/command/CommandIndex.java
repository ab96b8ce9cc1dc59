package io.onehop.core.command;

import java.util.HashMap;
import java.util.Map;

/**
 * From a command's words to its entry.
 *
 * <p>The entries are {@link CommandTable}, generated. Any thread. Implements spec/route/route.md,
 * "Finding the entry".
 */
public final class CommandIndex {
    private static final Map<String, Command> COMMANDS = new HashMap<>();

    static {
        for (Command command : CommandTable.commands()) {
            int bar = command.name().indexOf('|');
            if (bar < 0) {
                COMMANDS.put(command.name(), command);
            } else {
                COMMANDS.get(command.name().substring(0, bar))
                        .add(command.name().substring(bar + 1), command);
            }
        }
    }

    private CommandIndex() {}

    /** The entry of a command; {@code null} if the table does not hold it. */
    public static Command find(Words words) {
        Command found = named(words.word(0));
        return found == null ? null : found.resolve(words);
    }

    /**
     * The entry of a name, perhaps that of a container; {@code null} if the table does not hold it.
     */
    public static Command named(byte[] name) {
        return COMMANDS.get(Command.lower(name));
    }
}
