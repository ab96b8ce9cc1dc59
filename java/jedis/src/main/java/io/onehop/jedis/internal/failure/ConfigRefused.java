package io.onehop.jedis.internal.failure;

import io.onehop.core.base.Message;

/** A configuration is unreadable or lacks this pool. The message says where and why. */
public final class ConfigRefused extends Exception {
    private static final long serialVersionUID = 1;

    private final String advice;

    public ConfigRefused(Message message, Throwable cause, Object... what) {
        super(message.what(what), cause);
        this.advice = message.advice();
    }

    /** What to do about it. */
    public String advice() {
        return advice;
    }
}
