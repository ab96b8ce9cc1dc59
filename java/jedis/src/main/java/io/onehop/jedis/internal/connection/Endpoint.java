package io.onehop.jedis.internal.connection;

import io.onehop.core.Node;
import io.onehop.core.Role;
import io.onehop.core.base.Message;
import io.onehop.core.topology.Directive;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.internal.failure.Failure.Late;
import io.onehop.jedis.internal.failure.Failure.NoDescriptor;
import io.onehop.jedis.internal.failure.NodeName;
import io.onehop.jedis.internal.tls.ClientTls;
import io.onehop.jedis.internal.tls.Tls;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;

/**
 * Where a node is and how to reach it: its addresses, which are resolved for each new connection,
 * and the directives of a connection.
 *
 * <p>Immutable, except for a look-up that may be running, and for what is known of the addresses.
 * Any thread.
 */
public final class Endpoint {
    /*
     * The C library's look-up may block for any time. So a daemon thread resolves the name. Each
     * node has at most one such thread at a time, and the thread ends with its look-up. During a
     * look-up callers serve other nodes, and wait no longer than their deadline. Numeric
     * addresses need no thread. The JDK's own cache decides how long an answer is valid.
     */

    private static final String OCTET = "(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])";
    private static final Pattern IPV4 = Pattern.compile("(" + OCTET + "\\.){3}" + OCTET);

    private final Node node;
    private final String host; // Not used for a unix socket.
    private final ServerPool pool;
    private final int maxAgeMs;
    private final @Nullable Tls tls;
    private final AtomicReference<CompletableFuture<InetAddress[]>> lookup =
            new AtomicReference<>();

    /* If a name has several addresses: the one that has connected when others did not, and the last
     * one whose node has sent nothing. */
    private volatile @Nullable SocketAddress chosen;
    private volatile @Nullable SocketAddress silent;

    /* True if a call that had opened its own connection was late. */
    private volatile boolean isSlow;

    public Endpoint(Node node, ServerPool pool, ClientTls tls) {
        this.node = node;
        this.host = Objects.requireNonNullElse(node.host(), "127.0.0.1");
        this.pool = pool;
        this.maxAgeMs = pool.number(Directive.MAX_CONNECTION_AGE);
        this.tls = node.path() == null ? tls.of(pool) : null;
    }

    /**
     * True if a node of another configuration or map is this node, and is reached in the same way.
     */
    public boolean isThatOf(Node other, ServerPool its) {
        return node == other
                        // The usual case: a new map of a thousand nodes differs in one slot.
                        && pool == its
                || isOf(other) && pool.reachesNodesLike(its);
    }

    /**
     * True if the other node is this node, perhaps reached in another way: name, address and server
     * are the same.
     */
    public boolean isOf(Node other) {
        boolean isReplaced = other.role() != Role.GONE && !node.id().equals(other.id());
        return node.name().equals(other.name())
                && node.address().equals(other.address())
                && !isReplaced;
    }

    /** True if the node follows a master, and only answers reads. */
    public boolean isReplica() {
        return node.role() == Role.REPLICA;
    }

    public Node node() {
        return node;
    }

    public String name() {
        return node.name();
    }

    /** The node's name for messages. */
    public NodeName nodeName() {
        return new NodeName(node, pool);
    }

    /** The host that takes the place of every endpoint that the node leaves open. */
    public String host() {
        return host;
    }

    /** How its connections are encrypted; {@code null} if they are plain. */
    @Nullable Tls tls() {
        return tls;
    }

    /** True if its connections are encrypted. Connections by a unix socket never are. */
    public boolean isEncrypted() {
        return tls != null;
    }

    /** The port of its address; 0 for a unix socket. */
    int port() {
        return node.port();
    }

    boolean isUnix() {
        return node.path() != null;
    }

    /** True if the configuration has "cluster: true". */
    public boolean isOfCluster() {
        return pool.cluster();
    }

    public boolean isSsdb() {
        return pool.ssdb();
    }

    public int poolSize() {
        return pool.poolSize();
    }

    public int timeoutMs() {
        return pool.timeoutMs();
    }

    /** True if connections are replaced when they have become old. */
    boolean hasAge() {
        return maxAgeMs > 0;
    }

    /**
     * How old a new connection may become: the value of the directive, minus up to a quarter of it.
     * Without this jitter the connections of all clients would be replaced at the same time.
     */
    long ageNs() {
        long laterMs = hasAge() ? ThreadLocalRandom.current().nextLong(maxAgeMs / 4 + 1L) : 0;
        return TimeUnit.MILLISECONDS.toNanos(maxAgeMs - laterMs);
    }

    /**
     * The addresses to try, at least one, in this order. The future is already complete unless a
     * name must be resolved.
     */
    CompletableFuture<List<SocketAddress>> addresses() throws IOException {
        if (node.path() != null) {
            return CompletableFuture.completedFuture(
                    List.of(UnixDomainSocketAddress.of(node.path())));
        }
        return isLiteral(host)
                ? CompletableFuture.completedFuture(withPort(InetAddress.getAllByName(host)))
                : lookup().thenApply(this::withPort);
    }

    private List<SocketAddress> withPort(InetAddress[] found) {
        List<SocketAddress> addresses = new ArrayList<>();
        for (InetAddress address : found) {
            addresses.add(new InetSocketAddress(address, node.port()));
        }
        addresses.sort(Comparator.comparingInt(this::rank));
        return addresses;
    }

    private int rank(SocketAddress address) {
        return address.equals(chosen) ? 0 : address.equals(silent) ? 2 : 1;
    }

    /** Whether opening a connection may leave too little time for a command. */
    boolean isSlow() {
        return isSlow;
    }

    public void slow(boolean slow) {
        if (isSlow != slow) {
            isSlow = slow;
        }
    }

    /**
     * Notes that a connection to this address is open. {@code isFirst}: no other address was tried
     * before.
     */
    void connected(SocketAddress address, boolean isFirst) {
        if (!isFirst) {
            chosen = address;
        }
    }

    /** Notes that a connection to this address has ended. */
    void ended(SocketAddress address, boolean hasHeard) {
        if (!hasHeard) {
            silent = address;
            chosen = address.equals(chosen) ? null : chosen;
        }
    }

    /** Waits until the addresses are known, or until the call should check for a successor. */
    static void awaitAWhile(
            CompletableFuture<List<SocketAddress>> addresses,
            Deadline deadline,
            Successor successor)
            throws IOException {
        try {
            addresses.get(successor.checkMs(deadline.waitNs()), TimeUnit.MILLISECONDS);
        } catch (TimeoutException notYet) {
            if (deadline.hasPassed()) {
                throw new Late(Message.LATE_RESOLVING);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(Message.INTERRUPTED.what());
        } catch (ExecutionException failed) {
            // The next step of opening throws it.
        }
    }

    /** Waits for the addresses, no longer than the deadline. */
    static List<SocketAddress> await(
            CompletableFuture<List<SocketAddress>> addresses, Deadline deadline)
            throws IOException {
        try {
            return addresses.get(deadline.waitNs(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            throw new Late(Message.LATE_RESOLVING);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(Message.INTERRUPTED.what());
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof IOException reason
                    ? reason
                    : new IOException(Message.UNRESOLVED.what(), failed);
        }
    }

    /** True for a numeric address. A colon occurs only in IPv6. */
    private static boolean isLiteral(String host) {
        return host.indexOf(':') >= 0 || IPV4.matcher(host).matches();
    }

    private CompletableFuture<InetAddress[]> lookup() {
        CompletableFuture<InetAddress[]> mine = new CompletableFuture<>();
        CompletableFuture<InetAddress[]> running = lookup.compareAndExchange(null, mine);
        if (running != null) {
            return running;
        }
        try {
            Thread thread = new Thread(() -> lookUp(mine), "onehop-lookup");
            thread.setDaemon(true);
            thread.start();
            return mine;
        } catch (Throwable noThread) {
            lookup.set(null);
            mine.completeExceptionally(noThread);
            throw noThread;
        }
    }

    private void lookUp(CompletableFuture<InetAddress[]> answer) {
        try {
            InetAddress[] found = InetAddress.getAllByName(host);
            lookup.set(null);
            answer.complete(found);
        } catch (Throwable failure) {
            lookup.set(null);
            answer.completeExceptionally(
                    failure instanceof UnknownHostException unknown ? explained(unknown) : failure);
        }
    }

    /** Java throws the same exception for an unknown name and for a lack of descriptors. */
    private static IOException explained(UnknownHostException failure) {
        try {
            SocketChannel.open().close();
            return failure;
        } catch (IOException lack) {
            return new NoDescriptor(lack);
        } catch (Error unexplained) {
            return failure;
        }
    }
}
