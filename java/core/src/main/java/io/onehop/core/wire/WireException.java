package io.onehop.core.wire;

import java.io.IOException;

/**
 * The bytes of a node are no replies, are more than was asked for, or are beyond the limits.
 *
 * <p>It is sticky: once thrown, every further read of the same {@link ReplyGuard} throws it again,
 * and the connection must be closed. The message says what was wrong, with the node's bytes
 * escaped.
 */
public final class WireException extends IOException {
    private static final long serialVersionUID = 1;

    public WireException(String reason) {
        super(reason);
    }
}
