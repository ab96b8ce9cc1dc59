package io.onehop.core.command;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Merges the INFO of several nodes into one text, as one server writes it. Quantities are added,
 * versions are the lowest. A field without a rule is kept if all nodes agree on it, otherwise
 * omitted.
 *
 * <p>Pure. Implements spec/route/route.md, "INFO". The rules are in {@link InfoFields}, generated
 * from spec/route/info.json.
 */
public final class Info {
    private static final Pattern DATABASE = Pattern.compile("db[0-9]+");
    private static final String PERCENTILES = "latency_percentiles_usec_";
    private static final String PER_CALL = "usec_per_call";

    private Info() {}

    /** The merged text. Headers and fields keep the order in which they first occur. */
    public static String merged(List<String> replies) {
        Map<String, Map<String, List<String>>> sections = new LinkedHashMap<>();
        for (String reply : replies) {
            String section = "";
            for (String line : reply.split("\r?\n")) {
                int colon = line.indexOf(':');
                if (line.startsWith("#")) {
                    section = line;
                } else if (colon >= 0) {
                    sections.computeIfAbsent(section, made -> new LinkedHashMap<>())
                            .computeIfAbsent(line.substring(0, colon), made -> new ArrayList<>())
                            .add(line.substring(colon + 1));
                }
            }
        }
        List<String> texts = new ArrayList<>();
        sections.forEach(
                (section, fields) -> {
                    StringBuilder text = new StringBuilder(section).append("\r\n");
                    fields.forEach(
                            (name, values) -> {
                                String value = field(name, values, replies.size());
                                if (value != null) {
                                    text.append(name).append(':').append(value).append("\r\n");
                                }
                            });
                    texts.add(text.toString());
                });
        return String.join("\r\n", texts);
    }

    /**
     * The fleet's value of a field; {@code null}: omitted. A quantity that a node lacks counts as
     * 0.
     */
    private static @Nullable String field(String name, List<String> values, int nodes) {
        try {
            if (isParts(name)) {
                return parts(name, values);
            }
            if (InfoFields.SUM.contains(name)) {
                return String.valueOf(values.stream().mapToLong(Long::parseLong).sum());
            }
            if (values.size() < nodes) {
                return null;
            }
            if (InfoFields.MIN.contains(name)) {
                return String.valueOf(values.stream().mapToLong(Long::parseLong).min().orElse(0));
            }
            if (InfoFields.MAX.contains(name)) {
                return String.valueOf(values.stream().mapToLong(Long::parseLong).max().orElse(0));
            }
        } catch (NumberFormatException noNumber) {
            return null;
        }
        if (InfoFields.LOWEST_VERSION.contains(name)) {
            return values.stream().min(Info::compareVersions).orElse(null);
        }
        return values.stream().distinct().count() == 1 ? values.get(0) : null;
    }

    /** True for lists of parts, {@code name=number}. */
    private static boolean isParts(String name) {
        return DATABASE.matcher(name).matches()
                || name.startsWith("cmdstat_")
                || name.startsWith("errorstat_")
                || name.startsWith(PERCENTILES);
    }

    /** The fleet's parts, in the order in which they first occur. */
    private static String parts(String name, List<String> values) {
        List<Map<String, String>> nodes = values.stream().map(Info::takenApart).toList();
        Map<String, String> total = new LinkedHashMap<>();
        boolean isHighest = name.startsWith(PERCENTILES);
        for (Map<String, String> node : nodes) {
            node.forEach(
                    (part, number) ->
                            total.merge(
                                    part,
                                    isHighest ? higher("0", number) : number,
                                    isHighest
                                            ? Info::higher
                                            : part.equals(PER_CALL)
                                                    ? (one, other) -> one
                                                    : Info::sum));
        }
        if (!isHighest) {
            average(total, nodes);
        }
        return total.entrySet().stream()
                .map(part -> part.getKey() + "=" + part.getValue())
                .collect(Collectors.joining(","));
    }

    /**
     * The parts of {@code keys=1,expires=1,avg_ttl=5}. Throws NumberFormatException for anything
     * else.
     */
    private static Map<String, String> takenApart(String value) {
        Map<String, String> parts = new LinkedHashMap<>();
        for (String pair : value.split(",")) {
            int equal = pair.indexOf('=');
            if (equal < 0) {
                throw new NumberFormatException(pair);
            }
            parts.put(pair.substring(0, equal), pair.substring(equal + 1));
        }
        return parts;
    }

    private static String higher(String one, String other) {
        return Double.parseDouble(other) < Double.parseDouble(one) ? one : other;
    }

    private static String sum(String one, String other) {
        return String.valueOf(Long.parseLong(one) + Long.parseLong(other));
    }

    /**
     * Averages cannot be added. A time to live is weighted by the keys that expire; a time per call
     * is computed from the totals.
     */
    private static void average(Map<String, String> total, List<Map<String, String>> nodes) {
        if (total.containsKey("avg_ttl")) {
            long expires = number(total, "expires");
            long weighted =
                    nodes.stream()
                            .mapToLong(node -> number(node, "avg_ttl") * number(node, "expires"))
                            .sum();
            total.put("avg_ttl", String.valueOf(expires == 0 ? 0 : weighted / expires));
        }
        if (total.containsKey(PER_CALL)) {
            long calls = number(total, "calls");
            long hundredths = calls == 0 ? 0 : number(total, "usec") * 100 / calls;
            total.put(PER_CALL, "%d.%02d".formatted(hundredths / 100, hundredths % 100));
        }
        total.forEach(
                (part, number) -> {
                    if (!part.equals(PER_CALL)) {
                        Long.parseLong(number); // With one node alone nothing has checked it yet.
                    }
                });
    }

    private static long number(Map<String, String> parts, String name) {
        return Long.parseLong(parts.getOrDefault(name, "0"));
    }

    private static int compareVersions(String one, String other) {
        String[] left = one.split("\\.");
        String[] right = other.split("\\.");
        for (int i = 0; i < Math.max(left.length, right.length); i++) {
            int difference = Long.compare(number(left, i), number(right, i));
            if (difference != 0) {
                return difference;
            }
        }
        return 0;
    }

    /** A part of a version. A missing one is lower than 0, because 7.0 is before 7.0.0. */
    private static long number(String[] parts, int place) {
        if (place >= parts.length) {
            return -1;
        }
        return parts[place].matches("[0-9]{1,9}") ? Long.parseLong(parts[place]) : 0;
    }
}
