package io.onehop.jedis.internal.failure;

/** Something that is no configuration with this pool in it; the message says where and why. */
public final class Refused extends Exception {
    private static final long serialVersionUID = 1;

    public Refused(String message, Throwable cause) {
        super(message, cause);
    }
}
