package io.onehop.jedis.lab;

import redis.clients.jedis.Jedis;

/**
 * A real redis-server that speaks TLS on one port, and on another port plain text for the test
 * itself.
 */
public record TlsServer(RedisServer redis, int port) implements AutoCloseable {

    /** Starts a server with this certificate and further options of redis.conf. */
    public static TlsServer start(Certificates by, String name, String... options) {
        int port = Processes.freePort();
        return new TlsServer(RedisServer.start(by.options(port, name, options)), port);
    }

    /** An element of {@code servers} with the TLS port of this server. */
    public String server() {
        return "127.0.0.1:" + port + ":1";
    }

    public String node() {
        return "127.0.0.1:" + port;
    }

    /** A Jedis without TLS. */
    public Jedis jedis() {
        return redis.jedis();
    }

    @Override
    public void close() {
        redis.close();
    }
}
