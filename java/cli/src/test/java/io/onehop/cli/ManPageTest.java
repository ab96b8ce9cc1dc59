package io.onehop.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;

import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.util.List;

/** The manual page and the completion have all commands and all options. */
class ManPageTest {
    private static List<CommandLine> commands() {
        OutputStream nowhere = OutputStream.nullOutputStream();
        Screen screen =
                new Screen(
                        new ByteArrayInputStream(new byte[0]),
                        nowhere,
                        nowhere,
                        /* isTerminal= */ false,
                        /* isProgressShown= */ false,
                        /* hasColour= */ false);
        return OneHopCommands.commandLine(screen).getSubcommands().values().stream()
                .filter(each -> !each.getCommandSpec().usageMessage().hidden())
                .toList();
    }

    @Test
    void bothHaveAllCommandsAndOptions() {
        Ran page = Ran.of("generate-man-page").with(ExitStatus.FINE);
        Ran completion = Ran.of("generate-completion").with(ExitStatus.FINE);
        assertEquals(11, commands().size());
        for (CommandLine command : commands()) {
            String name = command.getCommandName();
            page.says(".SS \"onehop " + name);
            completion.says("function _picocli_onehop_" + name + "()");
            for (OptionSpec option : command.getCommandSpec().options()) {
                page.says(".B ").says(option.longestName().replace("-", "\\-").substring(4));
                completion.says(option.longestName());
            }
        }
        page.says(".SH EXIT STATUS").says("ONEHOP_CONFIG");
        assertFalse(page.out().contains("${"), "a default that was not filled in");
    }
}
