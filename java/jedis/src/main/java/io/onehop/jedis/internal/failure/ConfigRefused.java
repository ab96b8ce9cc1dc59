package io.onehop.jedis.internal.failure;

/** Something that is no configuration with this pool in it; the message says where and why. */
public final class ConfigRefused extends Exception {
    private static final long serialVersionUID = 1;

    public ConfigRefused(String message, Throwable cause) {
        super(message, cause);
    }
}
