package io.onehop.jedis.internal.connection;

import jdk.net.ExtendedSocketOptions;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Iterator;
import java.util.List;

/**
 * Connects to the first of a node's addresses that accepts, without waiting.
 *
 * <p>It is called between the endpoint and the handshake, by the thread that leased the connection.
 */
final class Connector {
    /*
     * TCP asks the peer after 10 idle seconds, then every 5 seconds, 3 times. So a vanished host
     * is noticed before its connection is used again, and while a command blocks forever.
     */
    private static final int KEEPALIVE_IDLE_S = 10;
    private static final int KEEPALIVE_INTERVAL_S = 5;
    private static final int KEEPALIVE_COUNT = 3;
    // Without these options the system's own times hold: two hours on Linux.
    private static final boolean HAS_TIMES = hasTimes();

    private final Iterator<SocketAddress> addresses;
    private final Deadline deadline;
    private NodeSocket socket;

    /** Begins to connect to the first address that does not fail immediately. */
    Connector(List<SocketAddress> addresses, Deadline deadline) throws IOException {
        this.addresses = addresses.iterator();
        this.deadline = deadline;
        tryNext(null);
    }

    /** The socket of the address that is being tried. */
    NodeSocket socket() {
        return socket;
    }

    /**
     * True if that socket is connected. If it failed, this tries the next address. Throws the last
     * failure.
     */
    boolean isConnected() throws IOException {
        try {
            return socket.finishConnect();
        } catch (IOException failure) {
            socket.close();
            tryNext(failure);
            return false;
        }
    }

    private void tryNext(@Nullable IOException failure) throws IOException {
        IOException last = failure;
        while (addresses.hasNext()) {
            try {
                socket = connecting(addresses.next());
                socket.use(deadline);
                return;
            } catch (IOException refused) {
                last = refused;
            }
        }
        throw last;
    }

    /** A socket that has begun to connect. */
    private static NodeSocket connecting(SocketAddress address) throws IOException {
        StackRoom.require();
        SocketChannel channel = opened(address);
        Selector selector = null;
        try {
            channel.configureBlocking(false);
            keepAlive(channel);
            selector = selector();
            channel.connect(address);
            return new NodeSocket(channel, selector);
        } catch (IOException | RuntimeException | Error failure) {
            channel.close();
            if (selector != null) {
                selector.close();
            }
            throw failure;
        }
    }

    private static SocketChannel opened(SocketAddress address) throws IOException {
        try {
            return address instanceof UnixDomainSocketAddress
                    ? SocketChannel.open(StandardProtocolFamily.UNIX)
                    : SocketChannel.open();
        } catch (IOException lack) {
            throw new NoDescriptor(lack);
        }
    }

    private static Selector selector() throws IOException {
        try {
            return Selector.open();
        } catch (IOException lack) {
            throw new NoDescriptor(lack);
        }
    }

    private static void keepAlive(SocketChannel channel) throws IOException {
        set(channel, StandardSocketOptions.TCP_NODELAY, true);
        set(channel, StandardSocketOptions.SO_KEEPALIVE, true);
        if (HAS_TIMES) {
            set(channel, ExtendedSocketOptions.TCP_KEEPIDLE, KEEPALIVE_IDLE_S);
            set(channel, ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEPALIVE_INTERVAL_S);
            set(channel, ExtendedSocketOptions.TCP_KEEPCOUNT, KEEPALIVE_COUNT);
        }
    }

    /** Whether this runtime has the module jdk.net. A custom runtime image may lack it. */
    private static boolean hasTimes() {
        try {
            return ExtendedSocketOptions.TCP_KEEPIDLE != null;
        } catch (LinkageError without) {
            return false;
        }
    }

    private static <T> void set(SocketChannel channel, SocketOption<T> option, T value)
            throws IOException {
        if (channel.supportedOptions().contains(option)) {
            channel.setOption(option, value);
        }
    }
}
