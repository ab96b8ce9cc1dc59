package io.onehop.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.onehop.core.Node;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import redis.clients.jedis.Protocol.Command;

import java.nio.file.Files;
import java.nio.file.Path;

/** The nodes of a file that changes while a command runs. */
class AskedNodesTest {
    @TempDir Path folder;

    private static String text(RedisServer server, String name) {
        return "a:\n  engine: redis\n  timeout: 30000\n  servers:\n   - "
                + server.server()
                + " "
                + name
                + "\n";
    }

    @Test
    void anAnswerIsAboutTheFileThatWasRead() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            Path path = Ran.file(folder, "a.yml", text(server, "one"));
            ConfigFile file = ConfigFile.read(path);
            Files.delete(path);
            ServerPool pool = file.pool(null);
            try (AskedNodes nodes = new AskedNodes(file, pool)) {
                Node one = nodes.topology().nodes().get(0);
                assertEquals(0, nodes.number(one, Command.DBSIZE));
            }
        }
    }

    @Test
    void topFollowsTheFile() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            Path path = Ran.file(folder, "a.yml", text(server, "one"));
            ConfigFile file = ConfigFile.read(path);
            try (AskedNodes nodes = AskedNodes.following(file, file.pool(null))) {
                Node one = nodes.topology().nodes().get(0);
                Files.writeString(path, text(server, "two"));
                RedisCluster.await("the new name is known", () -> isNamed(nodes, "two"));
                Refusal gone = assertThrows(Refusal.class, () -> nodes.number(one, Command.DBSIZE));
                assertEquals(ExitStatus.NO_ANSWER, gone.status());
            }
        }
    }

    private static boolean isNamed(AskedNodes nodes, String name) {
        try {
            return nodes.topology().find(name) != null;
        } catch (Refusal lost) {
            return false;
        }
    }
}
