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

/** Writes a configuration file with comments, as a start. */
@Command(
        name = "init",
        description = {
            "Write a configuration file with comments.",
            "It goes to stdout, or to a FILE that does not exist yet, for its owner and group only."
        })
final class InitCommand extends OperatorCommand {
    private static final String TEXT =
            """
            # A server pool: redis servers that share the keys. Programs name the pool and
            # this file. docs/configuration.md of OneHop explains every directive, and
            # `onehop check` reads the file.
            #
            # distribution, hash, hash_tag, and the names and weights of the servers decide
            # which server has a key. Once there are keys, do not just change one of them,
            # and do not just add or remove a server: clients would look elsewhere for keys.
            # docs/growing.md says how the keys move along. `onehop diff OLD NEW` counts
            # those that would move.
            POOL:
              # No proxy reads this pool, so all directives of OneHop are allowed.
              engine: redis
              # This hash spreads keys well even if they differ only in their last digits.
              hash: murmur
              # Keys with the same text in braces are on one server: {cart:7}:items and
              # {cart:7}:sum.
              hash_tag: "{}"
              # The deadline of one call, in milliseconds.
              timeout: 1000
              # If the servers want a password, use one of these two lines. The first takes
              # it from an environment variable, the second from the first line of a file.
              # redis_auth: ${REDIS_PASSWORD}
              # redis_auth_file: /run/secrets/redis
              # If the servers speak TLS, use these two lines. Without the second one, the
              # certificate authorities of the system (in Java: the JDK) are trusted.
              # tls: true
              # tls_ca_cert_file: /etc/ssl/certs/ca.pem
              # An address and a name each. Keys follow the name: a server may get another
              # address, but no other name.
              servers:
            """;

    private static final String CLUSTER =
            """
            # A Redis Cluster. Programs name the server pool and this file. docs/cluster.md
            # and docs/configuration.md of OneHop explain every directive, and
            # `onehop check` reads the file.
            POOL:
              cluster: true
              # The deadline of one call, in milliseconds.
              timeout: 1000
              # If the nodes want a password, use one of these two lines. The first takes it
              # from an environment variable, the second from the first line of a file.
              # redis_auth: ${REDIS_PASSWORD}
              # redis_auth_file: /run/secrets/redis
              # If the nodes speak TLS, use these two lines. Without the second one, the
              # certificate authorities of the system (in Java: the JDK) are trusted.
              # tls: true
              # tls_ca_cert_file: /etc/ssl/certs/ca.pem
              # Two or three of its nodes. OneHop asks them for the others.
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
        if (file != null && file.toString().isEmpty()) {
            throw Refusal.ofUsage("the name of the new file is empty");
        }
        if (!pool.matches("[A-Za-z0-9_.-]{1,100}")) {
            throw Refusal.ofUsage(
                    "--pool is \"" + pool + "\", but must have 1 to 100 letters, digits, _ . or -");
        }
        for (String server : servers) {
            if (!server.matches("[^\\s#]+")) {
                throw Refusal.ofUsage("--server is \"" + server + "\", but must be HOST:PORT");
            }
        }
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
            boolean isYaml = !item.startsWith("["); // [ of IPv6 would begin a list.
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
