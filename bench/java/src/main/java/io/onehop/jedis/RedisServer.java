package io.onehop.jedis;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;

/** A redis-server on a free loopback port. It runs until it is closed. */
record RedisServer(Process process, int port) implements AutoCloseable {
    private static final int TRIES = 100;

    static RedisServer start() throws IOException, InterruptedException {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        String options = "redis-server --save  --bind 127.0.0.1 --port " + port;
        RedisServer server =
                new RedisServer(
                        new ProcessBuilder(options.split(" "))
                                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                                .start(),
                        port);
        try {
            server.awaitReady();
        } catch (IOException | InterruptedException notReady) {
            server.close();
            throw notReady;
        }
        return server;
    }

    private void awaitReady() throws IOException, InterruptedException {
        for (int i = 0; i < TRIES; i++) {
            try (Socket ready = new Socket("127.0.0.1", port)) {
                return;
            } catch (IOException notYet) {
                Thread.sleep(50);
            }
        }
        throw new IOException("redis-server does not start");
    }

    @Override
    public void close() {
        process.destroy();
    }
}
