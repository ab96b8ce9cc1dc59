package io.onehop.jedis.internal.failure;

import io.onehop.core.base.Message;

import java.io.IOException;

/** A call has left its node, because another one has taken over. That says nothing of the node. */
public final class Left extends IOException {
    private static final long serialVersionUID = 1;

    public Left() {
        super(Message.SUPERSEDED.what());
    }
}
