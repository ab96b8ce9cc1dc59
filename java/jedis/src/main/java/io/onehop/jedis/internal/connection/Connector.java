package io.onehop.jedis.internal.connection;

import jdk.net.ExtendedSocketOptions;

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
 * From a node's addresses to a connected socket: one address after the other, until one accepts,
 * without waiting.
 *
 * <p>Before it on the road: the endpoint; after it: the greeting. For the thread that leased the
 * connection.
 */
final class Connector {
    /*
     * After 10 idle seconds ask the peer, every 5 seconds, 3 times: a host that vanished is noticed before the
     * connection is used again, and while a command waits for ever.
     */
    private static final int KEEPALIVE_IDLE_S = 10;
    private static final int KEEPALIVE_INTERVAL_S = 5;
    private static final int KEEPALIVE_COUNT = 3;
    // Without them the system's own: two hours on Linux.
    private static final boolean HAS_TIMES = hasTimes();

    private final Iterator<SocketAddress> addresses;
    private final Deadline deadline;
    private NodeSocket socket;

    /** Begins to connect to the first address that does not fail at once. */
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
     * Whether that socket is connected; if it failed, the next one is tried, and the last failure
     * is thrown.
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

    private void tryNext(IOException failure) throws IOException {
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

    /** Whether the Java machine has the module jdk.net: a runtime that was cut to size may not. */
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
