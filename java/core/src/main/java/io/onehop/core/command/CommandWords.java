package io.onehop.core.command;

/** The words of a command as they are sent, its name first. */
public interface Words {

    int count();

    byte[] word(int position);
}
