package io.onehop.jedis;

import io.onehop.core.ErrorKind;

/** Why there is no map of a Redis Cluster. */
record Refusal(String reason, ErrorKind kind) {

    /** Whether a node has said something: more than that it cannot be reached. */
    boolean isAnswer() {
        return kind == ErrorKind.CONFIG_INVALID || kind == ErrorKind.PROTOCOL_VIOLATION;
    }
}
