package io.onehop.jedis.internal.connection;

import io.onehop.core.base.Clock;
import io.onehop.jedis.internal.failure.Failure.NoDescriptor;

import jdk.net.ExtendedSocketOptions;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Connects to one of a node's addresses, without waiting. If one is silent, the next one is tried
 * beside it. The first that accepts is used.
 *
 * <p>It is called between the endpoint and the handshake, by the thread that leased the connection.
 * Implements spec/topology/segment.md, "Names".
 */
final class Connector {
    /*
     * After 10 idle seconds TCP asks the peer, then every 5 seconds, 3 times. So a vanished host
     * is noticed before its connection is used again, and also while a command blocks forever.
     */
    private static final int KEEPALIVE_IDLE_S = 10;
    private static final int KEEPALIVE_INTERVAL_S = 5;
    private static final int KEEPALIVE_COUNT = 3;
    // Without these options the times of the system apply: two hours on Linux.
    private static final boolean HAS_TIMES = hasTimes();

    /*
     * An attempt that has not ended. It is in the list before there is a socket: after an
     * OutOfMemoryError a socket without a reference would stay open for ever.
     */
    private static final class Attempt {
        private final SocketAddress address;
        private @Nullable NodeSocket socket;

        Attempt(SocketAddress address) {
            this.address = address;
        }

        NodeSocket socket() {
            return Objects.requireNonNull(socket, "Only connecting() leaves it out");
        }

        void close() {
            if (socket != null) {
                socket.close();
            }
        }
    }

    private final Iterator<SocketAddress> addresses;
    private final Deadline deadline;
    private final long stepNs;
    private final List<Attempt> attempts = new ArrayList<>();
    private long nextNs; // When the next address is tried, if there is one.
    private @Nullable IOException last;
    private boolean isFirst = true;

    Connector(List<SocketAddress> addresses, Deadline deadline, int timeoutMs) {
        this.addresses = addresses.iterator();
        this.deadline = deadline;
        this.stepNs = TimeUnit.MILLISECONDS.toNanos(Deadline.stepMs(timeoutMs, addresses.size()));
    }

    /** Begins to connect to the first address that does not fail immediately. */
    void begin() throws IOException {
        tryNext();
    }

    /** The socket of the address that has accepted, or of the one that was tried last. */
    NodeSocket socket() {
        return attempts.get(attempts.size() - 1).socket();
    }

    /** True if no other address was tried before the one that has accepted. */
    boolean isFirst() {
        return isFirst;
    }

    /** The address of {@link #socket}. */
    SocketAddress address() {
        return attempts.get(attempts.size() - 1).address;
    }

    /**
     * True if a socket is connected; then the others are closed. Tries the next address if its time
     * has come. Throws the last failure.
     */
    boolean isConnected() throws IOException {
        for (Attempt attempt : List.copyOf(attempts)) {
            try {
                if (attempt.socket().finishConnect()) {
                    endOthers(attempt);
                    return true;
                }
            } catch (IOException failure) {
                last = failure;
                attempt.close();
                attempts.remove(attempt);
                nextNs = Clock.nowNs();
            }
        }
        if (addresses.hasNext() && Clock.nowNs() - nextNs >= 0 || attempts.isEmpty()) {
            tryNext();
        }
        return false;
    }

    private void endOthers(Attempt connected) {
        for (Attempt attempt : attempts) {
            if (attempt != connected) {
                attempt.close();
            }
        }
        attempts.removeIf(attempt -> attempt != connected);
    }

    private void tryNext() throws IOException {
        boolean hasBegun = false;
        while (!hasBegun && addresses.hasNext()) {
            Attempt next = new Attempt(addresses.next());
            isFirst &= attempts.isEmpty() && last == null;
            attempts.add(next);
            try {
                next.socket = connecting(next.address);
                hasBegun = true;
                next.socket.use(deadline);
            } catch (IOException refused) {
                last = refused;
            } finally {
                if (!hasBegun) {
                    attempts.remove(next);
                }
            }
        }
        nextNs = Clock.nowNs() + stepNs;
        if (attempts.isEmpty()) {
            throw Objects.requireNonNull(last, "There is at least one address");
        }
    }

    /** True if {@link #socket} is the only one to wait for, until the deadline. */
    boolean isLast() {
        return attempts.size() == 1 && !addresses.hasNext();
    }

    /**
     * The time in ms until the next address is tried, at least 1 and at most {@code ms}; 0: without
     * end.
     */
    long waitMs(long ms) {
        if (!addresses.hasNext()) {
            return ms;
        }
        long leftMs = Math.max(1, TimeUnit.NANOSECONDS.toMillis(nextNs - Clock.nowNs()) + 1);
        return ms == 0 ? leftMs : Math.min(ms, leftMs);
    }

    /** Wakes this selector when one of the attempts has ended. */
    void register(Selector selector) throws IOException {
        for (Attempt attempt : attempts) {
            attempt.socket().channel().register(selector, SelectionKey.OP_CONNECT);
        }
    }

    /** Ends all attempts. */
    void close() {
        attempts.forEach(Attempt::close);
        attempts.clear();
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
