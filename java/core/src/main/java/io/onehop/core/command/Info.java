package io.onehop.core.command;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * INFO of several nodes as one text in the form of one server's: shares are added, versions are the lowest, what has no
 * rule is kept if it is the same everywhere and left out if not.
 *
 * <p>Pure. Implements spec/route/route.md, "INFO"; the fields' rules are {@link InfoFields}, generated from
 * spec/route/info.json.
 */
public final class Info {
    private static final Pattern DATABASE = Pattern.compile("db[0-9]+");

    private Info() {
    }

    /** One text of all; headers and order as the nodes give them, first seen first. */
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
        sections.forEach((section, fields) -> {
            StringBuilder text = new StringBuilder(section).append("\r\n");
            fields.forEach((name, values) -> {
                String value = field(name, values, replies.size());
                if (value != null) {
                    text.append(name).append(':').append(value).append("\r\n");
                }
            });
            texts.add(text.toString());
        });
        return String.join("\r\n", texts);
    }

    /** The fleet's value of a field; {@code null}: left out. A share that a node does not tell is 0 there. */
    private static String field(String name, List<String> values, int nodes) {
        try {
            if (DATABASE.matcher(name).matches()) {
                return database(values);
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

    /** {@code db0:keys=1,expires=1,avg_ttl=5} of several nodes. */
    private static String database(List<String> values) {
        Map<String, Long> total = new LinkedHashMap<>();
        long weighted = 0;
        for (String value : values) {
            Map<String, Long> part = new LinkedHashMap<>();
            for (String pair : value.split(",")) {
                int equal = pair.indexOf('=');
                part.put(pair.substring(0, Math.max(0, equal)), Long.valueOf(pair.substring(equal + 1)));
            }
            part.forEach((name, number) -> total.merge(name, number, Long::sum));
            weighted += part.getOrDefault("avg_ttl", 0L) * part.getOrDefault("expires", 0L);
        }
        long expires = total.getOrDefault("expires", 0L);
        long average = expires == 0 ? 0 : weighted / expires;
        total.computeIfPresent("avg_ttl", (name, sum) -> average);
        List<String> pairs = new ArrayList<>();
        total.forEach((name, number) -> pairs.add(name + "=" + number));
        return String.join(",", pairs);
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

    /** A part of a version; one that is not there comes before 0, as 7.0 does before 7.0.0. */
    private static long number(String[] parts, int place) {
        if (place >= parts.length) {
            return -1;
        }
        return parts[place].matches("[0-9]{1,9}") ? Long.parseLong(parts[place]) : 0;
    }
}
