package io.onehop.core.config;

import io.onehop.core.base.Limits;
import io.onehop.core.topology.DirectiveValue;
import io.onehop.core.topology.DirectiveValue.Fault;

import org.jspecify.annotations.Nullable;

import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The environment variables that a value of a OneHop pool may name, as <code>${NAME}</code>.
 *
 * <p>A value is read once, from left to right. The text that replaces a variable is not read again,
 * and no reason shows it. Implements spec/config, section 8.
 */
final class Variables {
    /*
     * The parts that are replaced or refused: an escaped mark, a variable, or a mark that begins
     * no variable.
     */
    private static final Pattern MARKS =
            Pattern.compile(
                    String.format(
                            "\\$\\$\\{|\\$\\{([A-Za-z_][A-Za-z0-9_]{0,%d})\\}|\\$\\{",
                            Limits.VARIABLE_BYTES_MAX - 1));

    /* The character that Java puts for bytes of the environment that it cannot decode. */
    private static final int REPLACEMENT = 0xfffd;

    private final Function<String, @Nullable String> environment;

    Variables(Function<String, @Nullable String> environment) {
        this.environment = environment;
    }

    /** True if a part of the value comes from the environment, which must not be shown. */
    static boolean areIn(String value) {
        Matcher marks = MARKS.matcher(value);
        while (marks.find()) {
            if (marks.group(1) != null) {
                return true;
            }
        }
        return false;
    }

    /** The value with its variables replaced. A reason begins with {@code subject}. */
    String replacedIn(String value, String subject) throws Fault {
        Matcher marks = MARKS.matcher(value);
        StringBuilder replaced = new StringBuilder();
        int at = 0;
        while (marks.find()) {
            replaced.append(value, at, marks.start());
            at = marks.end();
            String name = marks.group(1);
            if (name != null) {
                replaced.append(variable(name, subject));
                checkLength(replaced, subject);
            } else if (marks.group().startsWith("$$")) {
                replaced.append("${");
            } else {
                throw new Fault(
                        subject + " has a \"${\" without a name and \"}\"; \"$${\" writes \"${\"");
            }
        }
        if (at == 0) {
            return value;
        }
        checkLength(replaced.append(value, at, value.length()), subject);
        return replaced.toString();
    }

    private String variable(String name, String subject) throws Fault {
        String needs =
                subject + " needs the environment variable \"" + Shown.name(name) + "\", which ";
        String value = environment.apply(name);
        if (value == null || value.isEmpty()) {
            throw new Fault(needs + "is not set");
        }
        if (!value.codePoints().allMatch(Variables::isAllowed)) {
            throw new Fault(needs + "has a character that is not allowed");
        }
        return value;
    }

    /** True for a character that a variable or a password may have. */
    static boolean isAllowed(int character) {
        return character >= ' ' && character != REPLACEMENT && ConfigText.isAllowed(character);
    }

    private static void checkLength(StringBuilder replaced, String subject) throws Fault {
        if (DirectiveValue.bytesCount(replaced.toString()) > Limits.TEXT_BYTES_MAX) {
            throw new Fault(subject + " is longer than " + Limits.TEXT_BYTES_MAX + " bytes");
        }
    }
}
