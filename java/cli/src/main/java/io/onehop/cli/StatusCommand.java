package io.onehop.cli;

import io.onehop.core.topology.ServerPool;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.util.List;

/** What each node says of itself now. */
@Command(
        name = "status",
        description = {
            "Ask every node how it is.",
            "Exit status 3: a node does not answer; 1: all do, but one refuses INFO."
        })
final class StatusCommand extends OperatorCommand {
    @Mixin ServerPoolOptions which = new ServerPoolOptions();

    StatusCommand(Screen screen) {
        super(screen);
    }

    @Override
    public Integer call() throws Refusal {
        ConfigFile file = which.file();
        ServerPool pool = which.of(file);
        try (AskedNodes nodes = new AskedNodes(file, pool)) {
            List<NodeReading> readings = NodeReading.ofAll(nodes, nodes.topology().nodes());
            StatusTable table = new StatusTable(pool, readings, List.of());
            if (isJson) {
                screen.json(table.json());
            } else {
                table.print(screen);
            }
            return table.status();
        }
    }
}
