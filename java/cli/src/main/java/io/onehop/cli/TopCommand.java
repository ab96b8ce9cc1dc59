package io.onehop.cli;

import io.onehop.core.topology.ServerPool;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** Shows the status again and again, until a person ends it or nobody reads the output any more. */
@Command(
        name = "top",
        description = {
            "Ask every node how it is, again and again.",
            "Hits are counted since the last time. With --json each answer is one line.",
            "It follows the configuration file when that changes."
        })
final class TopCommand extends OperatorCommand {
    private static final int SECONDS_MAX = 3600;
    private static final String CLEAR = "\033[H\033[2J";

    @Mixin ServerPoolOptions which = new ServerPoolOptions();

    @Option(
            names = "--every",
            paramLabel = "SECONDS",
            defaultValue = "2",
            description = "Seconds between two answers. Default: ${DEFAULT-VALUE}.")
    int every;

    @Option(names = "--count", paramLabel = "N", description = "End after so many answers.")
    long count = Long.MAX_VALUE;

    TopCommand(Screen screen) {
        super(screen);
    }

    @Override
    public Integer call() throws Refusal {
        if (every < 1 || every > SECONDS_MAX) {
            throw Refusal.ofUsage("--every is " + every + ", but must be from 1 to " + SECONDS_MAX);
        }
        if (count < 1) {
            throw Refusal.ofUsage("--count is " + count + ", but must be at least 1");
        }
        ConfigFile file = which.file();
        ServerPool pool = which.of(file);
        try (AskedNodes nodes = AskedNodes.following(file, pool)) {
            StatusTable table = null;
            List<NodeReading> earlier = List.of();
            for (long time = 0; time < count && !screen.out.checkError(); time++) {
                if (time > 0) {
                    Pace.sleep(TimeUnit.SECONDS.toNanos(every));
                }
                List<NodeReading> readings = NodeReading.ofAll(nodes, nodes.topology().nodes());
                table = new StatusTable(pool, readings, earlier);
                earlier = readings;
                show(table);
            }
            return table == null ? ExitStatus.FINE : table.status();
        }
    }

    private void show(StatusTable table) {
        if (isJson) {
            screen.jsonLine(table.json());
        } else {
            screen.out.print(screen.isTerminal ? CLEAR : "");
            table.print(screen);
        }
    }
}
