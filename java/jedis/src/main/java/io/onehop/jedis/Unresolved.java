package io.onehop.jedis;

import java.net.SocketTimeoutException;

/** The deadline passed while the name of a node was looked up. */
final class Unresolved extends SocketTimeoutException {
    private static final long serialVersionUID = 1;

    Unresolved() {
        super("the name was not resolved in time");
    }
}
