package io.onehop.core.resp;

import io.onehop.core.base.Message;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/**
 * The bytes of a node are not replies, are more than was asked for, or exceed the limits.
 *
 * <p>The exception is permanent: every further read of the same {@link ReplyGuard} throws it again,
 * and the connection must be closed. The message says what was wrong, with the node's bytes
 * escaped.
 */
public final class WireException extends IOException {
    private static final long serialVersionUID = 1;

    private final @Nullable Message violation;

    /** {@code message} is the reason. If it has a kind, it is the whole message of the failure. */
    public WireException(Message message) {
        super(message.what());
        this.violation = message.kind() == null ? null : message;
    }

    /** The whole message of the failure; {@code null} if there is only a reason. */
    public @Nullable Message violation() {
        return violation;
    }
}
