package io.onehop.cli;

import picocli.CommandLine.Option;

import java.util.concurrent.Callable;

/** What all commands have. Each returns its exit status. */
abstract class OperatorCommand implements Callable<Integer> {
    final Screen screen;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Print this help.")
    boolean isHelp;

    @Option(names = "--json", description = "Print the answer as JSON.")
    boolean isJson;

    OperatorCommand(Screen screen) {
        this.screen = screen;
    }
}
