package io.onehop.core.cluster;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.onehop.core.base.Limits;
import io.onehop.core.base.Message;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;

/**
 * What one Sentinel says about the master of one name: an address, or the reason why there is none.
 *
 * <p>Implements spec/topology/sentinel.md, section 1.
 *
 * @param reason why there is no address, otherwise {@code null}
 * @param host the host as announced; empty without an address
 * @param epoch the epoch of the configuration that the Sentinel has
 */
public record SentinelAnswer(@Nullable Message reason, String host, int port, long epoch) {
    private static final int DIGITS_MAX = 18;
    // The answer of a redis that is not a Sentinel.
    private static final String UNKNOWN = "-ERR unknown command";

    /** Stands for the answer of a Sentinel that has not answered. */
    public static final SentinelAnswer SILENT = without(Message.SENTINEL_SILENT);

    private static SentinelAnswer without(Message reason) {
        return new SentinelAnswer(reason, "", 0, 0);
    }

    /** {@code host:port}. */
    public String address() {
        return host + ":" + port;
    }

    /** True if the Sentinel names this address. */
    public boolean names(String address) {
        return reason == null && address().equals(address);
    }

    /**
     * Reads the answer from two replies, one after the other: to GET-MASTER-ADDR-BY-NAME and to
     * MASTER.
     */
    public static SentinelAnswer read(byte[] replies) {
        ClusterValues values = new ClusterValues(replies);
        if (!values.skip()) {
            return without(Message.SENTINEL_MALFORMED);
        }
        int second = values.position();
        if (!values.skip() || !values.hasEnded()) {
            return without(Message.SENTINEL_MALFORMED);
        }
        if (new String(replies, second, replies.length - second, ISO_8859_1).startsWith(UNKNOWN)) {
            return without(Message.SENTINEL_NONE);
        }
        values.goTo(0);
        values.take();
        boolean isNil = values.kind == ClusterValues.Kind.NIL;
        if (isNil || values.kind == ClusterValues.Kind.ERROR || replies[second] == '-') {
            return without(Message.SENTINEL_UNKNOWING);
        }
        if (values.kind != ClusterValues.Kind.LIST || values.number != 2) {
            return without(Message.SENTINEL_MALFORMED);
        }
        String host = text(values);
        String port = text(values);
        values.goTo(second);
        long epoch = epoch(values);
        if (host == null || port == null || epoch < 0) {
            return without(Message.SENTINEL_MALFORMED);
        }
        long number = number(port);
        return isAddress(host, number)
                ? new SentinelAnswer(null, host, (int) number, epoch)
                : without(Message.SENTINEL_ADDRESS);
    }

    /** The next value if it is a text, otherwise {@code null}. */
    private static @Nullable String text(ClusterValues values) {
        return values.take() && values.kind == ClusterValues.Kind.TEXT ? values.text : null;
    }

    /** The epoch in the reply to MASTER, or -1. */
    private static long epoch(ClusterValues values) {
        Map<String, String> fields = fields(values);
        return fields == null ? -1 : number(fields.getOrDefault("config-epoch", ""));
    }

    /**
     * The first text for each name in a list of names and values; {@code null} if the next value is
     * not such a list.
     */
    static @Nullable Map<String, String> fields(ClusterValues values) {
        values.take();
        long count = values.number;
        if (values.kind != ClusterValues.Kind.LIST || count % 2 != 0) {
            return null;
        }
        Map<String, String> fields = new HashMap<>();
        for (long i = 0; i < count; i += 2) {
            String name = text(values);
            if (name == null) {
                return null;
            }
            int at = values.position();
            String value = text(values);
            if (value != null) {
                fields.putIfAbsent(name, value);
            }
            values.goTo(at);
            values.skip();
        }
        return fields;
    }

    /** A decimal number, or -1. */
    static long number(String text) {
        boolean isNumber =
                !text.isEmpty()
                        && text.length() <= DIGITS_MAX
                        && text.chars().allMatch(digit -> digit >= '0' && digit <= '9');
        return isNumber ? Long.parseLong(text) : -1;
    }

    /** True if a node may have this address. */
    static boolean isAddress(String host, long port) {
        return ClusterNodes.isPlain(host, Limits.SERVER_ADDRESS_BYTES_MAX)
                && port > 0
                && port <= Limits.PORT_MAX;
    }
}
