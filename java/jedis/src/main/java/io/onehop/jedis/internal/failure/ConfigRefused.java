package io.onehop.jedis.internal.failure;

import io.onehop.core.base.Message;

import org.jspecify.annotations.Nullable;

/** A configuration is unreadable or lacks this pool. The message says where and why. */
public final class ConfigRefused extends Exception {
    private static final long serialVersionUID = 1;

    private final String reason;
    private final String advice;

    public ConfigRefused(Message message, @Nullable Throwable cause, Object... what) {
        this(message.what(what), Failure.advice(message), cause);
    }

    private ConfigRefused(String reason, String advice, @Nullable Throwable cause) {
        super(reason, cause);
        this.reason = reason;
        this.advice = advice;
    }

    /** Where the configuration is wrong, and why. */
    public String reason() {
        return reason;
    }

    /** What to do about the refusal. */
    public String advice() {
        return advice;
    }
}
