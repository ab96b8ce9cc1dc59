package io.onehop.cli;

import io.onehop.cli.Finding.Level;
import io.onehop.core.config.Config;
import io.onehop.core.config.ConfigException;
import io.onehop.core.topology.ServerPool;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads a file as clients do, and names all its errors. If there are none, it names what is
 * probably not meant.
 */
@Command(
        name = "check",
        description = {
            "Check a configuration file.",
            "It prints all errors or, if there are none, warnings and notes. It asks no node."
        })
final class CheckCommand extends OperatorCommand {
    @Parameters(
            paramLabel = "FILE",
            description = "The file. Environment variables in it are read.")
    Path file = Path.of("");

    CheckCommand(Screen screen) {
        super(screen);
    }

    @Override
    public Integer call() throws Refusal {
        List<Finding> findings = new ArrayList<>();
        ConfigFile read = null;
        int more = 0;
        try {
            read = ConfigFile.parse(file);
            for (ServerPool pool : read.config().pools()) {
                findings.addAll(ConfigWarnings.of(read, pool));
            }
        } catch (ConfigException bad) {
            more = bad.more();
            bad.errors().forEach(each -> findings.add(error(each.line(), each.reason())));
        } catch (IOException unreadable) {
            throw ConfigFile.unreadable(file, unreadable);
        }
        Config config = read == null ? null : read.config();
        if (isJson) {
            screen.json(json(config, findings, more));
        } else {
            print(config, findings, more);
        }
        return Finding.status(findings);
    }

    private Finding error(int line, String reason) {
        return new Finding(Level.ERROR, file + ":" + line, reason, "");
    }

    private void print(@Nullable Config config, List<Finding> findings, int more) {
        findings.forEach(each -> each.print(screen));
        String verdict = findings.isEmpty() ? "fine" : Finding.counted(findings);
        String left = more == 0 ? "" : ", and " + more + " more errors";
        String size = config == null ? "" : ": " + size(config);
        screen.line("%s: %s", file, verdict + left + size);
    }

    private static String size(Config config) {
        int servers = config.pools().stream().mapToInt(pool -> pool.servers().size()).sum();
        int pools = config.pools().size();
        return pools
                + " server pool"
                + (pools == 1 ? "" : "s")
                + ", "
                + servers
                + " server"
                + (servers == 1 ? "" : "s");
    }

    private Map<String, Object> json(@Nullable Config config, List<Finding> findings, int more) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("file", file.toString());
        answer.put("valid", config != null);
        answer.put("findings", findings.stream().map(Finding::json).toList());
        answer.put("more_errors", more);
        List<String> pools =
                config == null ? List.of() : config.pools().stream().map(ServerPool::name).toList();
        answer.put("pools", pools);
        return answer;
    }
}
