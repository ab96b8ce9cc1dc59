package io.onehop.jedis.internal.failure;

import io.onehop.core.ErrorKind;

/** Why there is no map of a Redis Cluster. */
public record RefreshFailure(String reason, ErrorKind kind) {

    /** Whether a node has said something: more than that it cannot be reached. */
    public boolean isAnswer() {
        return kind == ErrorKind.CONFIG_INVALID || kind == ErrorKind.PROTOCOL_VIOLATION;
    }
}
