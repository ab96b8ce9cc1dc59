package io.onehop.core.command;

import io.onehop.core.base.Message;

/** The words of a command as they are sent, its name first. */
public interface CommandWords {

    int count();

    byte[] word(int position);

    /**
     * The words of a command contradict the table. The message is a sentence without the command's
     * name.
     */
    final class Malformed extends Exception {
        private static final long serialVersionUID = 1;

        private final Message reason;

        Malformed(Message reason) {
            super(reason.what(), null, false, false);
            this.reason = reason;
        }

        /** The sentence. */
        public String reason() {
            return reason.what();
        }
    }
}
