package io.onehop.jedis.internal.connection;

import java.io.IOException;

/** The node is there, but accepts no more connections. */
public final class TurnedAway extends IOException {
    private static final long serialVersionUID = 1;

    TurnedAway(String answer) {
        super(answer);
    }
}
