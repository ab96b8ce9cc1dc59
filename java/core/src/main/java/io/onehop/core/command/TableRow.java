package io.onehop.core.command;

import io.onehop.core.command.Command.MergeRule;
import io.onehop.core.command.Command.Spread;
import io.onehop.core.command.KeySpec.Begin;
import io.onehop.core.command.KeySpec.Reach;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The small language of the generated {@link CommandTable}: one chain of calls for each command.
 */
final class TableRow {
    private final Command command;

    private TableRow(Command command) {
        this.command = command;
    }

    static TableRow row(String name, Spread spread) {
        return new TableRow(new Command(name, spread, true));
    }

    static List<Command> commands(TableRow[]... tables) {
        List<Command> commands = new ArrayList<>();
        for (TableRow[] table : tables) {
            for (TableRow row : table) {
                row.command.seal();
                commands.add(row.command);
            }
        }
        return commands;
    }

    TableRow merge(MergeRule rule, int width) {
        command.merge = rule;
        command.mergeWidth = width;
        return this;
    }

    TableRow write() {
        command.isWrite = true;
        return this;
    }

    TableRow retryable() {
        command.isRetryable = true;
        return this;
    }

    TableRow brings() {
        command.brings = true;
        return this;
    }

    TableRow container() {
        command.isContainer = true;
        return this;
    }

    TableRow ssdb() {
        command.isSsdb = true;
        return this;
    }

    TableRow state(String state) {
        command.state = state;
        return this;
    }

    TableRow reason(String reason) {
        command.reason = reason;
        return this;
    }

    TableRow withoutKeys(Spread spread, @Nullable String reason) {
        command.withoutKeys = spread;
        command.withoutKeysReason = reason;
        return this;
    }

    TableRow wholeWith(String... words) {
        command.wholeWith =
                Arrays.stream(words)
                        .map(word -> word.getBytes(StandardCharsets.US_ASCII))
                        .toArray(byte[][]::new);
        return this;
    }

    TableRow waits(int timeout, int msPerUnit) {
        command.blocking = Blocking.at(timeout, msPerUnit);
        return this;
    }

    TableRow waits(String option, int from, String until, int msPerUnit) {
        command.blocking = Blocking.after(option, from, until, msPerUnit);
        return this;
    }

    TableRow keys(KeyPositions.Kind kind, Begin begin, Reach reach) {
        return keys(kind, begin, reach, false);
    }

    TableRow keysUnlessEmpty(KeyPositions.Kind kind, Begin begin, Reach reach) {
        return keys(kind, begin, reach, true);
    }

    private TableRow keys(KeyPositions.Kind kind, Begin begin, Reach reach, boolean isUnlessEmpty) {
        command.keys = Arrays.copyOf(command.keys, command.keys.length + 1);
        command.keys[command.keys.length - 1] = new KeySpec(kind, begin, reach, isUnlessEmpty);
        return this;
    }

    /** Pairs of a word and the number of its arguments: {@code "COUNT 1 LIMIT 2"}. */
    static Map<String, Integer> skip(String pairs) {
        String[] words = pairs.split(" ");
        Map<String, Integer> skip = new HashMap<>();
        for (int i = 0; i + 1 < words.length; i += 2) {
            skip.put(words[i], Integer.valueOf(words[i + 1]));
        }
        return skip;
    }
}
