package io.onehop.cli;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Spec;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

/**
 * Writes the manual page, made from the commands and options themselves. picocli's own generator
 * writes AsciiDoc, which only asciidoctor turns into a manual page.
 */
@Command(
        name = "generate-man-page",
        mixinStandardHelpOptions = true,
        description = "Print the manual page: onehop generate-man-page | man -l -")
final class ManPageCommand implements Callable<Integer> {
    private final Screen screen;

    @Spec @Nullable CommandSpec own;

    ManPageCommand(Screen screen) {
        this.screen = screen;
    }

    @Override
    public Integer call() {
        CommandSpec program = Objects.requireNonNull(own).root();
        List<String> about = List.of(program.usageMessage().description());
        String version = program.version()[0];
        line(".TH ONEHOP 1 \"\" \"" + quoted(version) + "\"");
        line(".SH NAME");
        text(program.name() + " - " + about.get(0));
        line(".SH SYNOPSIS");
        line(".B " + quoted(program.name() + " COMMAND [OPTION]..."));
        line(".SH DESCRIPTION");
        about.forEach(this::text);
        line(".SH COMMANDS");
        program.subcommands().values().stream()
                .map(CommandLine::getCommandSpec)
                .filter(each -> !each.usageMessage().hidden())
                .forEach(this::command);
        line(".SH EXIT STATUS");
        program.usageMessage().exitCodeList().forEach(this::item);
        line(".SH NOTES");
        for (String note : program.usageMessage().footer()) {
            line(".PP");
            text(note);
        }
        return ExitStatus.FINE;
    }

    private void command(CommandSpec command) {
        String words =
                command.positionalParameters().stream()
                        .map(each -> " " + parameter(each))
                        .collect(Collectors.joining());
        line(".SS \"" + quoted(command.qualifiedName() + words) + "\"");
        for (String about : command.usageMessage().description()) {
            text(about);
        }
        command.positionalParameters().forEach(each -> item(each.paramLabel(), each.description()));
        command.options().forEach(each -> item(option(each), each.description()));
    }

    private static String parameter(ArgSpec parameter) {
        String label = parameter.paramLabel() + (parameter.arity().max() > 1 ? "..." : "");
        return parameter.required() ? label : "[" + label + "]";
    }

    private static String option(OptionSpec option) {
        String names = String.join(", ", option.names());
        String all = option.negatable() ? names.replaceFirst("--", "--[no-]") : names;
        return option.arity().max() == 0 ? all : all + "=" + option.paramLabel();
    }

    private void item(String head, String... texts) {
        line(".TP");
        line(".B " + quoted(head));
        for (String each : texts) {
            text(each);
        }
    }

    private void text(String text) {
        line(quoted(text));
    }

    private void line(String line) {
        screen.out.print(line + "\n");
    }

    /** Text that roff does not take for a request. */
    private static String quoted(String text) {
        String plain = text.replace("\\", "\\e").replace("-", "\\-").replace("\"", "\\(dq");
        return plain.startsWith(".") || plain.startsWith("'") ? "\\&" + plain : plain;
    }
}
