package io.onehop.jedis.internal.failure;

/** A configuration is unreadable or lacks this pool. The message says where and why. */
public final class ConfigRefused extends Exception {
    private static final long serialVersionUID = 1;

    public ConfigRefused(String message, Throwable cause) {
        super(message, cause);
    }
}
