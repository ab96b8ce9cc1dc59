package io.onehop.core.command;

/** The words of a command as they are sent, its name first. */
public interface CommandWords {

    int count();

    byte[] word(int position);
}
