package io.onehop.jedis.lab;

import redis.clients.jedis.Jedis;

/** A real redis-server that speaks TLS on one port, and plain text on another for the test. */
public record TlsServer(RedisServer redis, int port) implements AutoCloseable {

    /** By this certificate, with more options of redis.conf. */
    public static TlsServer start(Certificates by, String name, String... options) {
        int port = Processes.freePort();
        return new TlsServer(RedisServer.start(by.options(port, name, options)), port);
    }

    /** An element of {@code servers}, by its address. */
    public String server() {
        return "127.0.0.1:" + port + ":1";
    }

    public String node() {
        return "127.0.0.1:" + port;
    }

    /** A plain Jedis. */
    public Jedis jedis() {
        return redis.jedis();
    }

    @Override
    public void close() {
        redis.close();
    }
}
