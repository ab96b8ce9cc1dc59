package io.onehop.core.command;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Merges the INFO of several nodes into one text, as one server writes it, with the fields that
 * programs are known to read. The nodes' replies are not trusted.
 *
 * <p>Pure. Implements spec/route/route.md, "INFO". The fields are in {@link InfoFields}, generated
 * from spec/route/info.json.
 */
public final class Info {
    /** How the values of a field become one. */
    enum Rule {
        EQUAL,
        LOWEST,
        SUM,
        HUMAN,
        KEYS
    }

    /** A field that a fleet has. */
    record Field(String section, String name, Rule rule) {}

    private static final Pattern NUMBER = Pattern.compile("([0-9]{1,15})");
    private static final Pattern KEYS = Pattern.compile("keys=([0-9]{1,15}),.*");
    private static final Pattern LEADING_DIGITS = Pattern.compile("[0-9]{1,15}");
    private static final String UNITS = "KMGTP";

    private Info() {}

    /** The merged text. The text of a single node stays as it is. */
    public static String merged(List<String> replies) {
        if (replies.size() == 1) {
            return replies.get(0);
        }
        Map<String, String> sections = new LinkedHashMap<>();
        for (Field field : InfoFields.ALL) {
            String value = merged(field, replies);
            if (value != null) {
                String line = field.name() + ":" + value + "\r\n";
                sections.merge(field.section(), line, String::concat);
            }
        }
        return sections.entrySet().stream()
                .map(section -> "# " + section.getKey() + "\r\n" + section.getValue())
                .collect(Collectors.joining("\r\n"));
    }

    /** The fleet's value of a field; {@code null}: it is left out. */
    private static @Nullable String merged(Field field, List<String> replies) {
        String name = field.rule() == Rule.HUMAN ? withoutHuman(field.name()) : field.name();
        List<String> values =
                replies.stream().map(reply -> value(reply, name)).filter(Objects::nonNull).toList();
        if (values.isEmpty() || values.size() < replies.size() && field.rule() != Rule.KEYS) {
            return null;
        }
        return switch (field.rule()) {
            case EQUAL -> values.stream().distinct().count() == 1 ? values.get(0) : null;
            case LOWEST -> values.stream().min(Info::compareVersions).orElse(null);
            default -> sum(field.rule(), values);
        };
    }

    private static String withoutHuman(String name) {
        return name.substring(0, name.length() - "_human".length());
    }

    private static @Nullable String value(String reply, String name) {
        int at = reply.indexOf("\n" + name + ":");
        return at < 0
                ? null
                : reply.substring(at + name.length() + 2).lines().findFirst().orElse("");
    }

    private static @Nullable String sum(Rule rule, List<String> values) {
        Pattern form = rule == Rule.KEYS ? KEYS : NUMBER;
        long total = 0;
        for (String value : values) {
            Matcher matcher = form.matcher(value);
            if (!matcher.matches()) {
                return null;
            }
            total += Long.parseLong(matcher.group(1));
        }
        return switch (rule) {
            case HUMAN -> human(total);
            case KEYS -> "keys=" + total;
            default -> String.valueOf(total);
        };
    }

    /** Bytes as redis writes them for people. */
    private static String human(long count) {
        long size = 1024;
        int unit = 0;
        if (count < size) {
            return count + "B";
        }
        while (count / size >= 1024 && unit + 1 < UNITS.length()) {
            size *= 1024;
            unit++;
        }
        return BigDecimal.valueOf(count)
                        .divide(BigDecimal.valueOf(size), 2, RoundingMode.HALF_EVEN)
                        .toPlainString()
                + UNITS.charAt(unit);
    }

    /** Compares part by part. If all parts of the shorter version are equal, it is lower. */
    private static int compareVersions(String one, String other) {
        String[] left = one.split("\\.");
        String[] right = other.split("\\.");
        for (int i = 0; i < Math.min(left.length, right.length); i++) {
            int difference = Long.compare(leadingNumber(left[i]), leadingNumber(right[i]));
            if (difference != 0) {
                return difference;
            }
        }
        return Integer.compare(left.length, right.length);
    }

    private static long leadingNumber(String part) {
        Matcher matcher = LEADING_DIGITS.matcher(part);
        return matcher.lookingAt() ? Long.parseLong(matcher.group()) : 0;
    }
}
