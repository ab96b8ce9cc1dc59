package io.onehop.jedis;

/** Something that is no configuration with this pool in it; the message says where and why. */
final class Refused extends Exception {
    private static final long serialVersionUID = 1;

    Refused(String message, Throwable cause) {
        super(message, cause);
    }
}
