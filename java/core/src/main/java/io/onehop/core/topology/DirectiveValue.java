package io.onehop.core.topology;

import io.onehop.core.Distribution;
import io.onehop.core.Hash;
import io.onehop.core.base.Limits;
import io.onehop.core.key.Key.HashTag;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What the value of a directive may be, and what it means.
 *
 * <p>In YAML values are texts. Here they become numbers, hash functions and so on, or a reason for
 * an error. {@link Directive} has the rows. Implements spec/config, section 6.
 */
public interface DirectiveValue {

    /** The types of spec/directives.json. */
    enum Type {
        SEQUENCE,
        NUMBER,
        BOOLEAN,
        TEXT,
        PATH,
        NAME,
        LISTEN,
        TAG,
        HASH,
        DISTRIBUTION,
        ENGINE,
        READ_FROM,
        TLS_VERIFY
    }

    /** What else is true of a directive. */
    enum Trait {
        /** nutcracker does not know it: it makes its pool a OneHop pool. */
        OWN,
        /** It says how nodes are reached. */
        OF_NODES,
        /** It says how Sentinels are reached. */
        OF_SENTINELS,
        /** It also applies to connections to Sentinels. */
        FOR_SENTINELS,
        /** Its value must never be shown. */
        HIDDEN,
        /** It is a password. */
        SECRET
    }

    /**
     * A row of spec/directives.json. {@code item}: what one item of a sequence is called. {@code
     * most}: the largest number; for a text, how many bytes it may have; for a sequence, how many
     * items.
     */
    record Row(
            String label,
            Type type,
            @Nullable String item,
            int least,
            int most,
            @Nullable Object standard,
            Set<Trait> traits) {}

    /** A value that is not accepted. The reader of the file adds the line. */
    final class Fault extends Exception {
        private static final long serialVersionUID = 1;

        private final String reason;

        public Fault(String reason) {
            super(reason);
            this.reason = reason;
        }

        /** What is wrong. */
        public String reason() {
            return reason;
        }
    }

    /** The row of this directive. */
    Row row();

    /** The name used in configuration files. */
    default String label() {
        return row().label();
    }

    /** The value if the file does not set it; {@code null} if there is none. */
    default @Nullable Object standard() {
        return row().standard();
    }

    default boolean is(Trait trait) {
        return row().traits().contains(trait);
    }

    /** True if its value is a sequence. */
    default boolean isSequence() {
        return row().type() == Type.SEQUENCE;
    }

    /** What one item of this directive, which is a sequence, is called. */
    default String item() {
        return Objects.requireNonNull(row().item());
    }

    /** How many items this directive, which is a sequence, may have. */
    default int itemsMax() {
        return row().most();
    }

    /** An error whose reason begins with this directive. */
    default Fault fault(String what) {
        return new Fault(subject() + " " + what);
    }

    /** This directive as a reason names it. */
    default String subject() {
        return "directive \"" + label() + "\"";
    }

    /** The words that may be its value; empty if its type has no list of words. */
    default List<String> words() {
        return switch (row().type()) {
            case BOOLEAN -> List.of("true", "false");
            case HASH -> labels(Hash.values(), Hash::label);
            case DISTRIBUTION ->
                    Stream.of(Distribution.values())
                            .filter(each -> each != Distribution.SLOTS)
                            .map(Distribution::label)
                            .toList();
            case ENGINE -> List.of("redis", "ssdb");
            case READ_FROM -> labels(ReadFrom.values(), ReadFrom::label);
            case TLS_VERIFY -> labels(TlsVerify.values(), TlsVerify::label);
            default -> List.of();
        };
    }

    private static <T> List<String> labels(T[] all, Function<T, String> label) {
        return Stream.of(all).map(label).toList();
    }

    /** What the text of a value means. */
    default Object read(String text) throws Fault {
        return switch (row().type()) {
            case NUMBER -> number(text);
            case BOOLEAN -> word(text).equals("true");
            case TEXT -> text(text);
            case PATH -> path(text);
            case NAME -> name(text);
            case LISTEN -> listen(text);
            case TAG -> tag(text);
            case HASH -> labelled(text, Hash.values(), Hash::label);
            case DISTRIBUTION -> labelled(text, Distribution.values(), Distribution::label);
            case ENGINE -> word(text);
            case READ_FROM -> labelled(text, ReadFrom.values(), ReadFrom::label);
            case TLS_VERIFY -> labelled(text, TlsVerify.values(), TlsVerify::label);
            case SEQUENCE -> throw new IllegalStateException(label());
        };
    }

    /** True if a text is one or more of the digits 0 to 9. */
    static boolean isDigits(String text) {
        return !text.isEmpty() && text.chars().allMatch(digit -> digit >= '0' && digit <= '9');
    }

    /** The number in some digits, or -1 if it is above 2147483647. */
    static int numberOf(String digits) {
        long number = 0;
        for (int i = 0; i < digits.length() && number <= Limits.NUMBER_MAX; i++) {
            number = number * 10 + digits.charAt(i) - '0';
        }
        return number <= Limits.NUMBER_MAX ? (int) number : -1;
    }

    static boolean isPort(String text) {
        return isDigits(text) && numberOf(text) > 0 && numberOf(text) <= Limits.PORT_MAX;
    }

    static int bytesCount(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private Integer number(String text) throws Fault {
        if (!isDigits(text)) {
            throw fault("is not a number");
        }
        int number = numberOf(text);
        if (number < 0) {
            throw fault("is larger than " + Limits.NUMBER_MAX);
        }
        int least = row().least();
        int most = row().most();
        if (number < least || number > most) {
            throw fault(most == Limits.NUMBER_MAX ? "is 0" : "is not " + least + " to " + most);
        }
        return number;
    }

    /** The value with this name. */
    private <T> T labelled(String text, T[] all, Function<T, String> label) throws Fault {
        return all[labels(all, label).indexOf(word(text))];
    }

    /** The text, which is one of {@link #words()}. */
    private String word(String text) throws Fault {
        List<String> words = words();
        if (words.contains(text)) {
            return text;
        }
        if (row().type() == Type.HASH || row().type() == Type.DISTRIBUTION) {
            throw fault("is not a valid " + row().type().name().toLowerCase(Locale.ROOT));
        }
        List<String> quoted = words.stream().map(each -> "\"" + each + "\"").toList();
        int last = quoted.size() - 1;
        throw fault(
                "is not " + String.join(", ", quoted.subList(0, last)) + " or " + quoted.get(last));
    }

    private HashTag tag(String text) throws Fault {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length != 2) {
            throw fault("is not two bytes");
        }
        return new HashTag(bytes[0], bytes[1]);
    }

    private String text(String text) throws Fault {
        return atMost(row().most(), atMost(Limits.TEXT_BYTES_MAX, text));
    }

    private String atMost(int bytesMax, String text) throws Fault {
        if (bytesCount(text) > bytesMax) {
            throw fault("is longer than " + bytesMax + " bytes");
        }
        return text;
    }

    private String path(String text) throws Fault {
        if (!text.startsWith("/")) {
            throw fault("is not an absolute path");
        }
        return text(text);
    }

    /** The text, if CLIENT SETNAME takes it. */
    private String name(String text) throws Fault {
        if (!text.chars().allMatch(letter -> letter >= '!' && letter <= '~')) {
            throw fault("has a blank, or a byte that is not printable ASCII");
        }
        return text(text);
    }

    private String listen(String text) throws Fault {
        if (text.startsWith("/")) {
            int space = text.lastIndexOf(' ');
            if (bytesCount(space < 0 ? text : text.substring(0, space))
                    > Limits.UNIX_PATH_BYTES_MAX) {
                throw fault("has a path longer than " + Limits.UNIX_PATH_BYTES_MAX + " bytes");
            }
            if (space >= 0 && !isMode(text.substring(space + 1))) {
                throw fault("has an invalid mode");
            }
            return text;
        }
        int colon = text.lastIndexOf(':');
        if (colon < 1) {
            throw fault("is not \"host:port\" or \"/path mode\"");
        }
        if (!isPort(text.substring(colon + 1))) {
            throw fault("has an invalid port");
        }
        return text;
    }

    /**
     * True if a text is a file mode as nutcracker reads it, by strtol with base 8: what follows the
     * digits is ignored, and no digit means 0.
     */
    private static boolean isMode(String text) {
        boolean isNegative = text.startsWith("-");
        int mode = 0;
        for (int i = isNegative || text.startsWith("+") ? 1 : 0;
                i < text.length() && mode <= Limits.FILE_MODE_MAX;
                i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 7) {
                break;
            }
            mode = mode * 8 + digit;
        }
        return isNegative ? mode == 0 : mode <= Limits.FILE_MODE_MAX;
    }

    /** What is checked of a node's certificate. Implements spec/config, section 11. */
    enum TlsVerify {
        /** Its chain, and the node's name. */
        FULL("full"),
        /** Its chain. */
        CA("ca"),
        NONE("none");

        private final String label;

        TlsVerify(String label) {
            this.label = label;
        }

        /** The name used in configuration files. */
        public String label() {
            return label;
        }
    }

    /** Which nodes answer reads: masters or replicas. The {@code read_from} directive. */
    enum ReadFrom {
        /** The master of the key. */
        MASTER("master"),
        /** The master; a replica only if the master cannot answer. */
        PREFER_MASTER("prefer_master"),
        /** A replica; the master only if no replica answers. */
        PREFER_REPLICA("prefer_replica"),
        /** A replica only. */
        REPLICA("replica"),
        /** The node with the lowest latency. */
        LOWEST_LATENCY("lowest_latency"),
        /** A node in the pool's zone, otherwise as PREFER_REPLICA. */
        SAME_ZONE("same_zone");

        private final String label;

        ReadFrom(String label) {
            this.label = label;
        }

        /** The name used in configuration files. */
        public String label() {
            return label;
        }
    }
}
