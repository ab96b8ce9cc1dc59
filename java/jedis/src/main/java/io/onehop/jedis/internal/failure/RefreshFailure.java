package io.onehop.jedis.internal.failure;

import io.onehop.core.ErrorKind;

/** Why there is no map of a Redis Cluster, or no master that a Sentinel has named. */
public record RefreshFailure(String reason, ErrorKind kind) {

    /** True if a node has answered something. False if none was reached. */
    public boolean isAnswer() {
        return kind == ErrorKind.CONFIG_INVALID || kind == ErrorKind.PROTOCOL_VIOLATION;
    }
}
