package io.onehop.jedis.internal.connection;

import io.onehop.core.base.Message;
import io.onehop.jedis.internal.failure.Failure.Late;
import io.onehop.jedis.internal.tls.Tls;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The way from the name of a node to a socket over which a connection can send its handshake:
 * resolve, connect, encrypt.
 *
 * <p>No step waits, so a batch opens connections to several nodes on one thread. For the thread
 * that leased the connection.
 */
public final class Opening {
    private enum Step {
        RESOLVING,
        CONNECTING,
        ENCRYPTING
    }

    private final Endpoint endpoint;
    private final Lease lease;
    private final CompletableFuture<List<SocketAddress>> addresses;
    private Step step = Step.RESOLVING;
    private @Nullable Connector connector; // Null before the second step.
    private @Nullable NodeSocket socket;
    private @Nullable SocketAddress address; // Null until it is connected.

    Opening(Endpoint endpoint, Lease lease) throws IOException {
        this.endpoint = endpoint;
        this.lease = lease;
        this.addresses = endpoint.addresses();
    }

    /** The socket, once connecting has begun. */
    @SuppressWarnings("NullAway") // As in NodeConnection: nobody uses the socket before it exists.
    NodeSocket socket() {
        return socket;
    }

    /** Takes the steps that need no wait. True if the handshake can be sent. */
    boolean isOver(Deadline deadline) throws IOException {
        if (step == Step.RESOLVING && addresses.isDone()) {
            List<SocketAddress> found = Endpoint.await(addresses, deadline);
            connector = new Connector(found, deadline, endpoint.timeoutMs());
            connector.begin();
            step = Step.CONNECTING;
        }
        if (step == Step.CONNECTING) {
            boolean isConnected = connector().isConnected();
            NodeSocket current = connector().socket(); // The socket before may have failed.
            socket = current;
            if (isConnected) {
                address = connector().address();
                endpoint.connected(address, connector().isFirst());
                lease.stepped();
                encrypt(current);
            }
        }
        return step == Step.ENCRYPTING && socket != null && socket.finishTls();
    }

    private void encrypt(NodeSocket connected) throws IOException {
        Tls tls = endpoint.tls();
        if (tls != null) {
            connected.encrypt(tls, endpoint.host(), endpoint.port());
        }
        step = Step.ENCRYPTING;
    }

    @SuppressWarnings("NullAway") // From the second step on there is a connector.
    private Connector connector() {
        return connector;
    }

    /** True if the node has accepted the connection. */
    boolean isConnected() {
        return step == Step.ENCRYPTING;
    }

    /* ---- Waiting ---- */

    /** Waits until a step is possible, or until the call should check for a successor. */
    void awaitAWhile(Deadline deadline, Successor successor) throws IOException {
        try {
            if (isResolving()) {
                Endpoint.awaitAWhile(addresses, deadline, successor);
            } else if (isTrying()) {
                awaitAttempts(deadline, successor);
            } else if (socket != null) {
                socket.awaitAWhile(interest(), successor);
            }
        } catch (SocketTimeoutException late) {
            throw explained(late);
        }
    }

    private void awaitAttempts(Deadline deadline, Successor successor) throws IOException {
        long leftNs = deadline.waitNs();
        try (Selector attempts = Selector.open()) {
            register(attempts);
            attempts.select(waitMs(successor.checkMs(leftNs)));
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException(Message.INTERRUPTED.what());
        }
        if (leftNs == 0) {
            throw new SocketTimeoutException(Message.DEADLINE_PASSED.what());
        }
    }

    /** True if there is no socket yet, because a name is being resolved or has just been. */
    public boolean isResolving() {
        return step == Step.RESOLVING;
    }

    /** Runs the action once the name is resolved, on any thread; immediately if it already is. */
    public void whenResolved(Runnable action) {
        addresses.whenComplete((found, failure) -> action.run());
    }

    /** True if another address may be tried, or several are being tried. */
    public boolean isTrying() {
        return step == Step.CONNECTING && !connector().isLast();
    }

    /** Wakes this selector when one of the addresses that are being tried has answered. */
    public void register(Selector selector) throws IOException {
        connector().register(selector);
    }

    /** How long to wait until the next address is tried: at most {@code ms}; 0: without end. */
    public long waitMs(long ms) {
        return step == Step.CONNECTING ? connector().waitMs(ms) : ms;
    }

    /** The operations of a selector to wait for. */
    int interest() {
        return step == Step.CONNECTING || socket == null
                ? SelectionKey.OP_CONNECT
                : socket.interestOfTls();
    }

    /** Turns the failure of a wait into a failure that says what the wait was for. */
    IOException explained(IOException failure) {
        if (failure instanceof SocketTimeoutException) {
            return switch (step) {
                case RESOLVING -> new Late(Message.LATE_RESOLVING);
                case CONNECTING -> failure;
                case ENCRYPTING -> new Late(Message.LATE_TLS);
            };
        }
        return failure;
    }

    /** Closes all sockets. {@code hasHeard}: the node has sent something. */
    void end(boolean hasHeard) {
        if (connector != null) {
            connector.close();
        }
        if (address != null) {
            endpoint.ended(address, hasHeard);
        }
    }
}
