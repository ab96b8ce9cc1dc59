package io.onehop.jedis;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.base.Message;
import io.onehop.core.resp.WireException;
import io.onehop.jedis.Channels.Channel;
import io.onehop.jedis.Confirmations.Kind;
import io.onehop.jedis.internal.command.Commands;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.connection.NodeSocket;
import io.onehop.jedis.internal.connection.StackRoom;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.failure.Failure.Late;
import io.onehop.jedis.internal.pool.Holder;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.pool.SubscribedNode;
import io.onehop.jedis.internal.pool.SubscribedNode.Lost;
import io.onehop.jedis.internal.route.CurrentRoute;
import io.onehop.jedis.internal.route.Route;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The object that {@code JedisPubSub} uses as its connection. It stands for the connections of all
 * nodes that have the caller's channels.
 *
 * <p>In: SUBSCRIBE, UNSUBSCRIBE and the like, from any thread. Out: confirmations and messages as
 * from one server, to the thread that called {@code subscribe()}, each message once. {@link
 * Channels} says on which nodes a channel is subscribed. Implements spec/route, section 6.
 */
final class Subscription extends Connection {
    /*
     * Only the thread that called subscribe() touches connections. Other threads queue their
     * command and wake that thread up. It waits for all nodes with one selector, and without a
     * timeout if everything is confirmed. A confirmation must come within the server pool's
     * timeout.
     *
     * The messages of one node are taken in their order. Confirmations reach the caller in the
     * order of its commands. If a node confirms something that is not next yet, nothing more is
     * received from that node until that confirmation is next. Otherwise, if one node confirmed
     * an UNSUBSCRIBE of its last channel before another node confirmed a subscription, the count
     * would be zero and everything would end. If a node has sent a message of a pattern that
     * other nodes have to confirm first, nothing more is received from that node until they have
     * done so.
     */
    final Holder holder = new Holder();
    private final CurrentRoute current;
    private final Runnable watcher;
    private final String pool;
    private final Selector selector;
    private final Queue<CommandArguments> commands = new ConcurrentLinkedQueue<>();
    private final Channels channels = new Channels();
    private final Confirmations confirmations = new Confirmations();
    private final SubscribedNodes nodes;

    /** {@code subscriber} is told of nodes that are lost, if it is a {@link ChannelsListener}. */
    Subscription(CurrentRoute current, Object subscriber) {
        super(builder().socketFactory(new NodeSocket.Factory("subscription")));
        Route route = current.take();
        this.pool = route.topology().pool().name();
        if (route.topology().pool().ssdb()) {
            throw Failure.ofPool(Message.SUBSCRIBE_SSDB, pool, Outcome.NOT_SENT, "subscribe");
        }
        this.current = current;
        this.protocol = RedisProtocol.RESP2;
        StackRoom.require();
        try {
            this.selector = Selector.open();
        } catch (IOException noDescriptor) {
            throw new JedisException(noDescriptor);
        }
        this.nodes =
                new SubscribedNodes(route, selector, holder, channels, confirmations, subscriber);
        this.watcher = selector::wakeup;
        current.snapshots().watch(watcher);
    }

    /* ---- From any thread ---- */

    @Override
    public void sendCommand(CommandArguments command) {
        if (!selector.isOpen()) {
            throw new JedisException("the subscription is over");
        }
        Commands.requireFits(command, pool);
        commands.add(command);
        selector.wakeup();
    }

    @Override
    protected void flush() {
        // The subscribing thread writes.
    }

    @Override
    public void setTimeoutInfinite() {
        // There is no timeout, except for confirmations.
    }

    @Override
    public void rollbackTimeout() {
        // Nothing to restore.
    }

    @Override
    public boolean isConnected() {
        return selector.isOpen();
    }

    /* ---- From the subscribing thread ---- */

    /**
     * The next confirmation or message, as soon as there is one. Throws if a node has refused
     * something, or if the client is closed. If all nodes are lost, throws the failure of the node
     * that was lost first.
     */
    @Override
    public Object getUnflushedObject() {
        while (true) {
            requireOpen();
            for (CommandArguments command = commands.poll();
                    command != null;
                    command = commands.poll()) {
                send(command);
            }
            nodes.requireHeard();
            try {
                List<?> next = confirmations.next();
                if (next == null) {
                    next = receive();
                }
                if (next != null) {
                    return next;
                }
                nodes.follow(current.take());
                nodes.takeBack();
                await();
            } catch (Lost event) {
                nodes.lose(event);
            }
        }
    }

    /** Closing the client wakes this thread up, as a new snapshot does. */
    private void requireOpen() {
        if (current.snapshots().isClosed()) {
            throw Failure.of(
                    Message.CLIENT_CLOSED,
                    nodes.any().endpoint().nodeName(),
                    Outcome.MAYBE_EXECUTED,
                    null);
        }
    }

    /** The next message of any node. Notes confirmations on the way. */
    private @Nullable List<?> receive() {
        boolean isConfirmed = false;
        for (SubscribedNode node : nodes.connected()) {
            Pool pool = node.pool();
            Object said = node.next();
            while (said != null && isTold(pool, words(said, node))) {
                node.taken();
                said = node.next();
            }
            if (said == null) {
                continue;
            }
            List<?> words = words(said, node);
            Kind message = Kind.ofMessage((byte[]) words.get(0));
            if (message != null && !confirmations.isAwaited(message, (byte[]) words.get(1))) {
                node.taken();
                return words;
            }
            if (message == null && confirmations.take(pool, words)) {
                node.taken();
                isConfirmed = true;
            } else if (message == null && !confirmations.isExpected(pool, words)) {
                // A node ends the sharded channels of a slot that it gives away.
                if (nodes.areOfCluster()) {
                    OneHopException over =
                            Failure.moved(
                                    Message.SLOT_MOVED,
                                    (byte[]) words.get(1),
                                    pool.endpoint().nodeName());
                    nodes.route().failed(over);
                    throw over;
                }
                throw node.lost(new WireException(Message.WIRE_CONFIRMATION));
            }
        }
        List<?> next = confirmations.next();
        return next == null && isConfirmed ? receive() : next;
    }

    /** True for a message that the caller gets from another node of the Redis Cluster. */
    private boolean isTold(Pool pool, List<?> words) {
        Kind message = Kind.ofMessage((byte[]) words.get(0));
        return message != null && nodes.areOfCluster() && !channels.counts(pool, message, words);
    }

    /**
     * The words with which a message or a confirmation begins: its kind, and its channel or
     * pattern.
     */
    private List<?> words(Object said, SubscribedNode node) {
        if (said instanceof JedisDataException refused) {
            throw nodes.route().subscriptionFailure(refused, node.pool());
        }
        if (!(said instanceof List<?> words)
                || words.size() < 2
                || !(words.get(0) instanceof byte[])
                || !(words.get(1) instanceof byte[])) {
            throw node.lost(new WireException(Message.WIRE_MESSAGE));
        }
        return words;
    }

    private void await() {
        Deadline deadline = confirmations.deadline();
        try {
            nodes.connected().forEach(SubscribedNode::listen);
            boolean isLate = deadline.hasPassed();
            if (commands.isEmpty()
                    && !nodes.haveNews()
                    && (isLate ? selector.selectNow() : selector.select(deadline.selectMs())) == 0
                    && commands.isEmpty()) {
                if (Thread.currentThread().isInterrupted()) {
                    throw new InterruptedIOException(Message.INTERRUPTED.what());
                }
                if (isLate) {
                    throw new Late(Message.NOT_CONFIRMED);
                }
            }
        } catch (IOException over) {
            throw nodes.lost(deadline == Deadline.NONE ? null : confirmations.missing(), over);
        }
        nodes.connected().forEach(node -> node.fill(selector.selectedKeys()));
    }

    /* ---- Where commands go ---- */

    private void send(CommandArguments arguments) {
        Command command = (Command) arguments.getCommand();
        Kind kind = Kind.of(command);
        List<byte[]> words = new ArrayList<>();
        for (int i = 1; i < arguments.size(); i++) {
            words.add(arguments.get(i).getRaw());
        }
        boolean isLeaving = kind != null && kind.isLeftBy(command);
        if (kind != null && isLeaving && words.isEmpty()) {
            words = channels.of(kind);
        }
        if (kind == null || words.isEmpty()) {
            sendToAny(command, words, isLeaving);
            return;
        }
        Map<Pool, List<byte[]>> parts = new LinkedHashMap<>();
        for (byte[] word : words) {
            Channel channel = Channel.of(kind, word);
            Set<Pool> targets =
                    isLeaving ? Set.copyOf(channels.nodes(channel)) : nodes.homes(channel);
            targets.forEach(
                    pool -> parts.computeIfAbsent(pool, first -> new ArrayList<>()).add(word));
            confirmations.expect(command, word, targets, deadline());
            if (isLeaving) {
                channels.leave(channel);
            } else {
                nodes.enter(channel, targets);
            }
        }
        parts.forEach((pool, part) -> nodes.send(pool, command, part));
        nodes.seekMissing();
    }

    /**
     * PING goes to one node. An UNSUBSCRIBE that would end no subscription goes to no node. A
     * SUBSCRIBE without channels goes to one node, which will refuse it.
     */
    private void sendToAny(Command command, List<byte[]> words, boolean isLeaving) {
        if (isLeaving) {
            confirmations.expect(command, null, Set.of(), deadline());
        } else {
            Pool target = nodes.any();
            confirmations.expect(command, null, Set.of(target), deadline());
            nodes.send(target, command, words);
        }
    }

    private Deadline deadline() {
        return Deadline.in(nodes.timeoutMs());
    }

    /** Closes every connection, because the nodes go on sending messages. */
    @Override
    public void close() {
        current.snapshots().unwatch(watcher);
        try {
            selector.close();
        } catch (IOException ignored) {
            // Even then the selector is closed.
        }
        nodes.close();
    }
}
