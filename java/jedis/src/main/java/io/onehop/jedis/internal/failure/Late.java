package io.onehop.jedis.internal.failure;

import io.onehop.core.base.Message;

import java.net.SocketTimeoutException;

/**
 * The deadline passed in the look-up of a name or in a subscription. Then the failure has a message
 * of its own, not that of a command.
 */
public final class Late extends SocketTimeoutException {
    private static final long serialVersionUID = 1;

    private final Message message;

    /** {@code message} has one parameter, the timeout in milliseconds. */
    public Late(Message message) {
        super(Message.DEADLINE_PASSED.what());
        this.message = message;
    }

    Message message() {
        return message;
    }
}
