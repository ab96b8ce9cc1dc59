package io.onehop.jedis.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;

/** A real nutcracker in front of the servers of one pool. */
public final class Nutcracker implements AutoCloseable {
    private final Path folder;
    private final int port;
    private final Process process;

    private Nutcracker(Path folder, int port, Process process) {
        this.folder = folder;
        this.port = port;
        this.process = process;
    }

    /** Starts one with the configuration text, in which {@code LISTEN} stands for where it is to listen. */
    public static Nutcracker start(String config) {
        try {
            Path folder = Files.createTempDirectory("onehop-nutcracker");
            int port = Processes.freePort();
            Path file = Files.writeString(folder.resolve("nutcracker.yml"),
                    config.replace("LISTEN", "127.0.0.1:" + port));
            Process process = Processes.start(folder, List.of("nutcracker", "-c", file.toString(), "-a", "127.0.0.1",
                    "-s", String.valueOf(Processes.freePort())));
            Processes.awaitPort(process, port, folder);
            return new Nutcracker(folder, port, process);
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** A plain Jedis that goes through it. */
    public Jedis jedis() {
        return new Jedis(new HostAndPort("127.0.0.1", port), DefaultJedisClientConfig.builder().serverDefaultProtocol()
                .clientSetInfoConfig(ClientSetInfoConfig.DISABLED).build());
    }

    @Override
    public void close() {
        Processes.kill(process);
        Processes.delete(folder);
    }
}
