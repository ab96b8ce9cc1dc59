package io.onehop.core.command;

import io.onehop.core.command.Command.Spread;
import io.onehop.core.command.CommandWords.Malformed;

/**
 * What a command does with keys that move from another ring.
 *
 * <p>Pure. Implements spec/topology/moving.md, section 2.
 */
public final class Moving {

    private Moving() {}

    /**
     * True if a command asks the old owner of a key when the owner has nothing. False if it brings
     * such keys first. {@code isAlone}: the command is not part of a transaction.
     */
    public static boolean asks(
            Command command, CommandWords words, KeyPositions found, boolean isAlone)
            throws Malformed {
        Blocking blocking = command.blocking();
        boolean reads =
                command.isKnown()
                        && !command.isWrite()
                        && !command.brings()
                        && (blocking == null || blocking.waitMs(words) == Blocking.NOT);
        boolean isOfOneKey =
                found.count(KeyPositions.Kind.KEY) == 1
                        || command.spread() == Spread.SPLIT
                                && !Split.isWhole(command, words, found.count());
        return isAlone && reads && isOfOneKey;
    }
}
