package io.onehop.core.topology;

import io.onehop.core.Distribution;
import io.onehop.core.Hash;
import io.onehop.core.base.Limits;
import io.onehop.core.key.HashTag;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Every directive of a server pool: its name, the type of its value, and its default.
 *
 * <p>In YAML values are texts. Here they become numbers, hash functions and so on, or a reason for
 * an error. Implements spec/config, section 6.
 */
public enum Directive {
    LISTEN("listen", Directive::listen, null),
    SERVERS("servers", null, null),
    HASH("hash", Directive::hash, Hash.FNV1A_64),
    HASH_TAG("hash_tag", Directive::tag, null),
    DISTRIBUTION("distribution", Directive::distribution, Distribution.KETAMA),
    TIMEOUT("timeout", Directive::number, Limits.TIMEOUT_MS_DEFAULT),
    BACKLOG("backlog", Directive::number, 512),
    CLIENT_CONNECTIONS("client_connections", Directive::number, 0),
    TCPKEEPALIVE("tcpkeepalive", Directive::flag, false),
    REUSEPORT("reuseport", Directive::flag, false),
    PRECONNECT("preconnect", Directive::flag, false),
    REDIS("redis", Directive::flag, false),
    REDIS_AUTH("redis_auth", Directive::text, null),
    REDIS_DB("redis_db", Directive::number, 0),
    AUTO_EJECT_HOSTS("auto_eject_hosts", Directive::flag, false),
    SERVER_CONNECTIONS("server_connections", Directive::connections, 1),
    SERVER_RETRY_TIMEOUT("server_retry_timeout", Directive::number, 30000),
    SERVER_FAILURE_LIMIT("server_failure_limit", Directive::number, 2),
    ENGINE("engine", Directive::engine, "redis"),
    POOL_SIZE("pool_size", Directive::poolSize, 16),
    MAX_CONNECTION_AGE("max_connection_age", Directive::number, Limits.CONNECTION_AGE_MS_DEFAULT),
    USERNAME("username", Directive::text, null),
    REDIS_AUTH_FILE("redis_auth_file", Directive::path, null),
    DATABASE("database", Directive::number, null),
    CLUSTER("cluster", Directive::flag, false),
    READ_FROM("read_from", Directive::readFrom, ReadFrom.MASTER),
    ZONE("zone", Directive::text, null),
    TLS("tls", Directive::flag, false),
    TLS_CA_CERT_FILE("tls_ca_cert_file", Directive::path, null),
    TLS_CERT_FILE("tls_cert_file", Directive::path, null),
    TLS_KEY_FILE("tls_key_file", Directive::path, null),
    TLS_KEY_FILE_PASS("tls_key_file_pass", Directive::text, null),
    TLS_SERVER_NAME("tls_server_name", Directive::serverName, null),
    TLS_VERIFY("tls_verify", Directive::tlsVerify, TlsVerify.FULL),
    SENTINELS("sentinels", null, null),
    SENTINEL_USERNAME("sentinel_username", Directive::text, null),
    SENTINEL_PASSWORD("sentinel_password", Directive::text, null),
    SENTINEL_TLS("sentinel_tls", Directive::flag, false),
    REPLICAS("replicas", null, null),
    HOST_ZONES("host_zones", null, null);

    /** Turns the text of a value into the value. */
    private interface Type {
        Object read(Directive directive, String text) throws Fault;
    }

    /** A value that is not accepted. The reader of the file adds the line. */
    public static final class Fault extends Exception {
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

    private static final Set<Directive> OWN =
            EnumSet.of(
                    ENGINE,
                    POOL_SIZE,
                    MAX_CONNECTION_AGE,
                    USERNAME,
                    REDIS_AUTH_FILE,
                    DATABASE,
                    CLUSTER,
                    READ_FROM,
                    ZONE,
                    TLS,
                    TLS_CA_CERT_FILE,
                    TLS_CERT_FILE,
                    TLS_KEY_FILE,
                    TLS_KEY_FILE_PASS,
                    TLS_SERVER_NAME,
                    TLS_VERIFY,
                    SENTINELS,
                    SENTINEL_USERNAME,
                    SENTINEL_PASSWORD,
                    SENTINEL_TLS,
                    REPLICAS,
                    HOST_ZONES);

    /** Those that say how connections are encrypted; they mean nothing without encryption. */
    public static final List<Directive> TLS_SETTINGS =
            List.of(
                    TLS_CA_CERT_FILE,
                    TLS_CERT_FILE,
                    TLS_KEY_FILE,
                    TLS_KEY_FILE_PASS,
                    TLS_SERVER_NAME,
                    TLS_VERIFY);

    private final String label;
    private final @Nullable Type type;
    private final @Nullable Object standard;

    Directive(String label, @Nullable Type type, @Nullable Object standard) {
        this.label = label;
        this.type = type;
        this.standard = standard;
    }

    /** The name used in configuration files. */
    public String label() {
        return label;
    }

    /** The value if the file does not set it; {@code null} if there is none. */
    public @Nullable Object standard() {
        return standard;
    }

    /** The directive of that name, or {@code null}. */
    public static @Nullable Directive named(String label) {
        for (Directive directive : values()) {
            if (directive.label.equals(label)) {
                return directive;
            }
        }
        return null;
    }

    public Object read(String text) throws Fault {
        return Objects.requireNonNull(type).read(this, text);
    }

    /** True if its value must never be shown. */
    public boolean isHidden() {
        return this == REDIS_AUTH
                || this == USERNAME
                || this == TLS_KEY_FILE_PASS
                || this == SENTINEL_USERNAME
                || this == SENTINEL_PASSWORD;
    }

    /** True if its value is a sequence. */
    public boolean isSequence() {
        return this == SERVERS || this == SENTINELS || this == REPLICAS || this == HOST_ZONES;
    }

    /** True if nutcracker does not know it: it makes its pool a OneHop pool. */
    public boolean isOwn() {
        return OWN.contains(this);
    }

    /** The words that may be its value; empty if its type has no list of words. */
    public List<String> words() {
        return switch (this) {
            case HASH -> Stream.of(Hash.values()).map(Hash::label).toList();
            case DISTRIBUTION ->
                    Stream.of(Distribution.values())
                            .filter(distribution -> distribution != Distribution.SLOTS)
                            .map(Distribution::label)
                            .toList();
            case ENGINE -> List.of("redis", "ssdb");
            case READ_FROM -> Stream.of(ReadFrom.values()).map(ReadFrom::label).toList();
            case TLS_VERIFY -> Stream.of(TlsVerify.values()).map(TlsVerify::label).toList();
            default -> standard instanceof Boolean ? List.of("true", "false") : List.of();
        };
    }

    /** An error whose reason begins with this directive. */
    public Fault fault(String what) {
        return new Fault(subject() + " " + what);
    }

    /** This directive as a reason names it. */
    public String subject() {
        return "directive \"" + label + "\"";
    }

    /** True if a text is one or more of the digits 0 to 9. */
    public static boolean isDigits(String text) {
        return !text.isEmpty() && text.chars().allMatch(digit -> digit >= '0' && digit <= '9');
    }

    /** The number in some digits, or -1 if it is above 2147483647. */
    public static int numberOf(String digits) {
        long number = 0;
        for (int i = 0; i < digits.length() && number <= Limits.NUMBER_MAX; i++) {
            number = number * 10 + digits.charAt(i) - '0';
        }
        return number <= Limits.NUMBER_MAX ? (int) number : -1;
    }

    public static boolean isPort(String text) {
        return isDigits(text) && numberOf(text) > 0 && numberOf(text) <= Limits.PORT_MAX;
    }

    public static int bytesCount(String text) {
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
        return number;
    }

    private Integer connections(String text) throws Fault {
        int number = number(text);
        if (number == 0) {
            throw fault("is 0");
        }
        return number;
    }

    private Integer poolSize(String text) throws Fault {
        int number = number(text);
        if (number < 1 || number > Limits.POOL_SIZE_MAX) {
            throw fault("is not 1 to " + Limits.POOL_SIZE_MAX);
        }
        return number;
    }

    private Boolean flag(String text) throws Fault {
        if (!text.equals("true") && !text.equals("false")) {
            throw fault("is not \"true\" or \"false\"");
        }
        return text.equals("true");
    }

    private Hash hash(String text) throws Fault {
        return labelled(text, Hash::label, List.of(Hash.values()), "is not a valid hash");
    }

    private Distribution distribution(String text) throws Fault {
        return labelled(
                text,
                Distribution::label,
                List.of(Distribution.KETAMA, Distribution.MODULA, Distribution.RANDOM),
                "is not \"ketama\", \"modula\" or \"random\"");
    }

    /** The one that is called so. */
    private <T> T labelled(String text, Function<T, String> label, List<T> all, String reason)
            throws Fault {
        for (T each : all) {
            if (label.apply(each).equals(text)) {
                return each;
            }
        }
        throw fault(reason);
    }

    private HashTag tag(String text) throws Fault {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length != 2) {
            throw fault("is not two bytes");
        }
        return new HashTag(bytes[0], bytes[1]);
    }

    private String engine(String text) throws Fault {
        if (!text.equals("redis") && !text.equals("ssdb")) {
            throw fault("is not \"redis\" or \"ssdb\"");
        }
        return text;
    }

    private ReadFrom readFrom(String text) throws Fault {
        return labelled(
                text,
                ReadFrom::label,
                List.of(ReadFrom.values()),
                "is not \"master\", \"prefer_replica\", \"replica\", \"lowest_latency\" or"
                        + " \"same_zone\"");
    }

    private String text(String text) throws Fault {
        return atMost(Limits.TEXT_BYTES_MAX, text);
    }

    private String serverName(String text) throws Fault {
        return atMost(Limits.SERVER_ADDRESS_BYTES_MAX, text(text));
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

    private TlsVerify tlsVerify(String text) throws Fault {
        return labelled(
                text,
                TlsVerify::label,
                List.of(TlsVerify.values()),
                "is not \"full\", \"ca\" or \"none\"");
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
     * nutcracker reads the mode with strtol, base 8: it ignores what follows the digits, and no
     * digit means 0.
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
}
