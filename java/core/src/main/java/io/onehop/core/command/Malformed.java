package io.onehop.core.command;

/**
 * The words of a command contradict what the table says of its keys; the message is a sentence
 * without its name.
 */
public final class Malformed extends Exception {
    private static final long serialVersionUID = 1;

    Malformed(String what) {
        super(what, null, false, false);
    }
}
