package io.onehop.core.command;

import io.onehop.core.base.Words;

import java.nio.charset.StandardCharsets;

/**
 * Notifications of keys: which channels and patterns must be subscribed on every node, because each
 * node publishes these notifications on itself only.
 *
 * <p>Pure. Implements spec/route, section 6, Subscriptions; spec/tools/reference/notification.py is
 * the reference.
 */
public final class Notification {
    private Notification() {}

    /** True if notifications of keys arrive on this channel. */
    public static boolean isChannel(byte[] channel) {
        String name = text(channel);
        return Words.NOTIFICATION_BEGINS.stream().anyMatch(name::startsWith);
    }

    /** True if the pattern may match such a channel. */
    public static boolean mayMatch(byte[] pattern) {
        // The part of a pattern before its first special byte matches only itself.
        String literal = text(pattern).split("[*?\\[\\\\]", 2)[0];
        return Words.NOTIFICATION_BEGINS.stream()
                .anyMatch(begin -> begin.startsWith(literal) || literal.startsWith(begin));
    }

    private static String text(byte[] name) {
        return new String(name, StandardCharsets.ISO_8859_1);
    }
}
