package io.onehop.cli;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** The fields of a node's INFO. What a node says is not trusted: any field may be missing. */
final class NodeInfo {
    private static final int DIGITS_MAX = 18;

    private final Map<String, String> fields = new HashMap<>();

    static NodeInfo of(String text) {
        NodeInfo info = new NodeInfo();
        text.lines()
                .filter(line -> line.indexOf(':') > 0)
                .forEach(
                        line -> {
                            int colon = line.indexOf(':');
                            info.fields.put(line.substring(0, colon), line.substring(colon + 1));
                        });
        return info;
    }

    /** The value of a field; empty if the field is missing. */
    String text(String field) {
        return fields.getOrDefault(field, "");
    }

    /** The number in a field; 0 if the field is missing or has no number. */
    long number(String field) {
        return numberIn(text(field));
    }

    private static long numberIn(String text) {
        return text.matches("[0-9]{1," + DIGITS_MAX + "}") ? Long.parseLong(text) : 0;
    }

    boolean has(String field) {
        return fields.containsKey(field);
    }

    /** The keys of all databases. */
    long keys() {
        return ofDatabases("keys");
    }

    /** The keys that expire. */
    long expiring() {
        return ofDatabases("expires");
    }

    /**
     * Adds up one number of all databases. The field of a database is {@code
     * db0:keys=1,expires=0,avg_ttl=0}.
     */
    private long ofDatabases(String name) {
        return fields.entrySet().stream()
                .filter(field -> field.getKey().matches("db\\d+"))
                .flatMap(field -> Arrays.stream(field.getValue().split(",")))
                .filter(part -> part.startsWith(name + "="))
                .mapToLong(part -> numberIn(part.substring(name.length() + 1)))
                .sum();
    }

    /** Such as redis 7.0.15 or valkey 8.1.0; empty if the node is neither. */
    String version() {
        if (has("valkey_version")) {
            return "valkey " + text("valkey_version");
        }
        return has("redis_version") ? "redis " + text("redis_version") : "";
    }

    /** The first number of redis' version; 0 if the node names none. */
    long redisMajor() {
        return numberIn(text("redis_version").split("\\.", 2)[0]);
    }

    boolean isReplica() {
        return text("role").equals("slave");
    }

    /**
     * Hits per look-up since the reading before; NaN without look-ups. If the counters have begun
     * at 0 again since then, such as after a restart of the server, their whole values count.
     */
    double hits(NodeInfo before) {
        boolean isContinued =
                text("run_id").equals(before.text("run_id"))
                        && number("keyspace_hits") >= before.number("keyspace_hits")
                        && number("keyspace_misses") >= before.number("keyspace_misses");
        NodeInfo since = isContinued ? before : new NodeInfo();
        double hits = number("keyspace_hits") - since.number("keyspace_hits");
        double misses = number("keyspace_misses") - since.number("keyspace_misses");
        return hits / (hits + misses);
    }
}
