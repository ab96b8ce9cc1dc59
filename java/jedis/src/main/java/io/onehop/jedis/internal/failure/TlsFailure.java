package io.onehop.jedis.internal.failure;

import io.onehop.core.base.Message;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/**
 * A TLS handshake failed for a known reason. Then the failure has a message of its own. No command
 * was sent.
 */
public final class TlsFailure extends IOException {
    private static final long serialVersionUID = 1;

    private final Message message;
    private final String[] arguments;

    /**
     * The arguments are the parts that the text of the message leaves open. They must be fit to be
     * shown.
     */
    public TlsFailure(Message message, @Nullable Throwable cause, String... arguments) {
        super(message.what((Object[]) arguments), cause);
        this.message = message;
        this.arguments = arguments.clone();
    }

    Message message() {
        return message;
    }

    Object[] arguments() {
        return arguments.clone();
    }
}
