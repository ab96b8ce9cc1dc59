package io.onehop.cli;

import io.onehop.core.config.Config;
import io.onehop.core.config.ConfigException;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Writes a configuration file with comments, to begin with. */
@Command(
        name = "init",
        description = {
            "Write a configuration file with comments.",
            "To stdout, or to a FILE that does not exist yet. Only its owner and group may read it."
        })
final class InitCommand extends OperatorCommand {
    private static final String TEXT =
            """
            # The nodes of OneHop. docs/configuration.md explains every directive.
            #
            # hash, hash_tag, distribution and the names of the servers decide on which node a key
            # is. Change them only while the nodes are empty, and ask `onehop diff` before.
            POOL:
              engine: redis
              hash: murmur
              # Keys with the same text in braces share a node: {cart:7}:items, {cart:7}:sum.
              hash_tag: "{}"
              # The deadline of one call, in milliseconds.
              timeout: 1000
              # A password from the environment, or from the first line of a file:
              # redis_auth: ${REDIS_PASSWORD}
              # redis_auth_file: /run/secrets/redis
              # Encrypted connections:
              # tls: true
              # tls_ca_cert_file: /etc/ssl/certs/ca.pem
              # Each server has an address and a name. Keys follow the name, so the address may
              # change.
              servers:
            """;

    private static final String CLUSTER =
            """
            # A Redis Cluster. docs/cluster.md and docs/configuration.md explain every directive.
            POOL:
              cluster: true
              # The deadline of one call, in milliseconds.
              timeout: 1000
              # A password from the environment, or from the first line of a file:
              # redis_auth: ${REDIS_PASSWORD}
              # redis_auth_file: /run/secrets/redis
              # Some of its nodes, which are asked for all others.
              servers:
            """;

    @Parameters(arity = "0..1", paramLabel = "FILE", description = "The new file.")
    @Nullable Path file;

    @Option(
            names = {"-p", "--pool"},
            paramLabel = "POOL",
            defaultValue = "alpha",
            description = "The name of the server pool. Default: ${DEFAULT-VALUE}.")
    String pool = "alpha";

    @Option(
            names = "--server",
            paramLabel = "HOST:PORT",
            description = "A server; may be repeated. Default: 127.0.0.1:6379.")
    List<String> servers = new ArrayList<>(List.of("127.0.0.1:6379"));

    @Option(names = "--cluster", description = "The servers are nodes of a Redis Cluster.")
    boolean isCluster;

    InitCommand(Screen screen) {
        super(screen);
    }

    @Override
    public Integer call() throws Refusal {
        String text = text();
        try {
            Config.parse(text.getBytes(StandardCharsets.UTF_8), name -> "");
        } catch (ConfigException bad) {
            throw Refusal.ofUsage(bad.reasons());
        }
        if (file != null) {
            write(file, text);
        }
        if (isJson) {
            screen.json(Map.of("text", text));
        } else if (file == null) {
            screen.out.print(text);
        } else {
            screen.line("wrote %s: next, onehop check %s", file, file);
        }
        return ExitStatus.FINE;
    }

    private String text() {
        StringBuilder text = new StringBuilder((isCluster ? CLUSTER : TEXT).replace("POOL", pool));
        for (int i = 0; i < servers.size(); i++) {
            String name = isCluster ? "" : " node" + (i + 1);
            String item = servers.get(i) + name;
            boolean isYaml = !item.startsWith("["); // An address of IPv6 would begin a list.
            text.append("    - ").append(isYaml ? item : '"' + item + '"').append('\n');
        }
        return text.toString();
    }

    private static void write(Path file, String text) throws Refusal {
        try {
            Files.createFile(
                    file,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-r-----")));
            Files.writeString(file, text, StandardOpenOption.WRITE);
        } catch (FileAlreadyExistsException there) {
            throw Refusal.ofUsage(file + " is there already, and stays as it is");
        } catch (IOException failure) {
            throw Refusal.ofUsage("cannot write " + file + ": " + ConfigFile.why(failure));
        }
    }
}
