package io.onehop.jedis.lab;

import com.google.gson.JsonObject;

import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;

/** A real nutcracker in front of the servers of one pool. */
public final class Nutcracker implements AutoCloseable {
    private final int port;
    private final long pid;

    private Nutcracker(JsonObject started) {
        this.port = started.get("port").getAsInt();
        this.pid = started.get("pid").getAsLong();
    }

    /** Starts a nutcracker with this configuration, but on a free port. */
    public static Nutcracker start(String config) {
        String text =
                config.replaceFirst("listen: .*", "listen: 127.0.0.1:" + Processes.freePort());
        return new Nutcracker(Lab.ask("nutcracker", "config", text).getAsJsonObject());
    }

    /** A plain Jedis that is connected to nutcracker. */
    public Jedis jedis() {
        return new Jedis(
                new HostAndPort("127.0.0.1", port),
                DefaultJedisClientConfig.builder()
                        .serverDefaultProtocol()
                        .timeoutMillis(30_000)
                        .clientSetInfoConfig(ClientSetInfoConfig.DISABLED)
                        .build());
    }

    @Override
    public void close() {
        Lab.ask("stop", "pid", pid);
    }
}
