package io.onehop.jedis.internal.failure;

import io.onehop.core.base.Message;

import java.net.SocketTimeoutException;

/** The deadline passed, and its message is not that of a command: a name, a subscription. */
public final class Late extends SocketTimeoutException {
    private static final long serialVersionUID = 1;

    private final Message message;

    /** {@code message}: takes the timeout in milliseconds. */
    public Late(Message message) {
        super(Message.DEADLINE_PASSED.what());
        this.message = message;
    }

    Message message() {
        return message;
    }
}
