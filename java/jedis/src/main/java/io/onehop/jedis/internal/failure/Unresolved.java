package io.onehop.jedis.internal.failure;

import java.net.SocketTimeoutException;

/** The deadline passed while the name of a node was being resolved. */
public final class Unresolved extends SocketTimeoutException {
    private static final long serialVersionUID = 1;

    public Unresolved() {
        super("the name was not resolved in time");
    }
}
