package io.onehop.jedis.internal.connection;

import java.io.IOException;

/** This process cannot open another socket. The node did not cause that. */
public final class NoDescriptor extends IOException {
    private static final long serialVersionUID = 1;

    NoDescriptor(IOException cause) {
        super(cause.getMessage(), cause);
    }
}
