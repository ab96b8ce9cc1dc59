package io.onehop.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Something that a person should see, and what to do about it.
 *
 * @param level how bad it is
 * @param where a line of a file, or the name of a node
 * @param what what was found
 * @param advice what to do; empty if that is clear
 */
record Finding(Level level, String where, String what, String advice) {

    /** A note changes no exit status. */
    enum Level {
        ERROR(Screen.Colour.RED),
        WARNING(Screen.Colour.YELLOW),
        NOTE(Screen.Colour.GREY);

        private final Screen.Colour colour;

        Level(Screen.Colour colour) {
            this.colour = colour;
        }

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    void print(Screen screen) {
        String end = advice.isEmpty() ? "" : " (" + advice + ")";
        String label = screen.coloured(level.colour, level.label());
        screen.line("%s: %s: %s", where, label, what + end);
    }

    Map<String, Object> json() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("level", level.label());
        fields.put("where", where);
        fields.put("what", what);
        fields.put("advice", advice);
        return fields;
    }

    /** Such as 2 errors, 1 warning, 3 notes. */
    static String counted(List<Finding> findings) {
        StringBuilder counted = new StringBuilder();
        for (Level level : Level.values()) {
            long count = findings.stream().filter(each -> each.level == level).count();
            String label = level.label() + (count == 1 ? "" : "s");
            counted.append(counted.isEmpty() ? "" : ", ").append(count).append(' ').append(label);
        }
        return counted.toString();
    }

    static int status(List<Finding> findings) {
        return findings.stream().allMatch(each -> each.level == Level.NOTE)
                ? ExitStatus.FINE
                : ExitStatus.FINDINGS;
    }
}
