package io.onehop.core.wire;

import java.io.IOException;

/**
 * The bytes of a node are no replies, are more than its commands asked for, or exceed the limits.
 *
 * <p>It is permanent: every further read of the same {@link ReplyGuard} throws it again, and the
 * connection must be closed. The message says what was wrong, with the node's bytes escaped.
 */
public final class WireException extends IOException {
    private static final long serialVersionUID = 1;

    public WireException(String reason) {
        super(reason);
    }
}
