package io.onehop.jedis.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/** An address that never answers: its backlog is full, so the kernel drops new connections. */
public final class SilentAddress implements AutoCloseable {
    private static final int FILL = 4;

    private final ServerSocketChannel server;
    private final List<SocketChannel> waiting = new ArrayList<>();

    private SilentAddress(ServerSocketChannel server) {
        this.server = server;
    }

    /** An address at this port, or at a free port if it is 0. */
    public static SilentAddress at(String host, int port) {
        try {
            SilentAddress silent = new SilentAddress(ServerSocketChannel.open());
            silent.server.bind(new InetSocketAddress(host, port), 1);
            for (int i = 0; i < FILL; i++) {
                SocketChannel channel = SocketChannel.open();
                channel.configureBlocking(false);
                channel.connect(silent.server.getLocalAddress());
                silent.waiting.add(channel);
            }
            return silent;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    public int port() {
        return server.socket().getLocalPort();
    }

    @Override
    public void close() throws IOException {
        for (SocketChannel channel : waiting) {
            channel.close();
        }
        server.close();
    }
}
