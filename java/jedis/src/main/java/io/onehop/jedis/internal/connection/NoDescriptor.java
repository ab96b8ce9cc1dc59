package io.onehop.jedis.internal.connection;

import java.io.IOException;

/** This process has no room for another socket: that is no node's doing. */
public final class NoDescriptor extends IOException {
    private static final long serialVersionUID = 1;

    NoDescriptor(IOException cause) {
        super(cause.getMessage(), cause);
    }
}
