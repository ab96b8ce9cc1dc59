package io.onehop.jedis;

import io.onehop.core.health.Health;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;

import java.io.FileInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Looks up the name of a node while this process has no descriptor left, and afterwards. Prints
 * whether the node was blamed, and whether it serves.
 */
final class FewDescriptorsProgram {
    private FewDescriptorsProgram() {}

    public static void main(String[] arguments) throws IOException {
        Logger.getLogger("io.onehop").setLevel(Level.OFF);
        try (RedisServer server = RedisServer.start()) {
            String config =
                    "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  timeout: 2000\n"
                            + "  server_failure_limit: 1\n  servers:\n   - localhost:"
                            + server.port()
                            + ":1 named\n";
            try (OneHopClient client = Nodes.clientOf(config)) {
                Callers.answered(() -> client.set("key", "value"));
                failed(client, "no-such-host.invalid"); // Loads the classes of a failure.
                Inspected.pools(client)[0].clear();
                List<FileInputStream> taken = takeAll();
                OneHopException failure = failure(client);
                for (FileInputStream each : taken) {
                    each.close();
                }
                System.out.println(
                        (failure instanceof NodeDown)
                                + ", state "
                                + Health.failures(Inspected.pools(client)[0].health().state()));
                System.out.println(Callers.answered(() -> client.get("key")));
            }
        }
    }

    private static void failed(OneHopClient client, String name) {
        String config =
                "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  timeout: 2000\n  servers:\n   - "
                        + name
                        + ":1:1 a\n";
        try (OneHopClient other = Nodes.clientOf(config)) {
            failure(other);
        }
    }

    private static OneHopException failure(OneHopClient client) {
        try {
            client.get("key");
            return null;
        } catch (OneHopException failure) {
            return failure;
        }
    }

    private static List<FileInputStream> takeAll() {
        List<FileInputStream> taken = new ArrayList<>();
        try {
            while (true) {
                taken.add(new FileInputStream("/dev/null"));
            }
        } catch (IOException none) {
            return taken;
        }
    }
}
