package io.onehop.jedis;

import io.onehop.core.ErrorKind;
import io.onehop.core.ErrorKind.Outcome;

/**
 * The node could not be reached, or was lost: it refused, reset or closed the connection, or its
 * name does not resolve; or it has failed so before and rests for a moment, while one caller finds
 * out whether it is back.
 *
 * <p>Only the keys of this node are affected; where they are does not change, unless the file says
 * {@code auto_eject_hosts}.
 */
public final class NodeDown extends OneHopException {
    private static final long serialVersionUID = 1;

    public NodeDown(String message, String node, Outcome outcome, Throwable cause) {
        super(ErrorKind.NODE_DOWN, message, node, outcome, cause);
    }
}
