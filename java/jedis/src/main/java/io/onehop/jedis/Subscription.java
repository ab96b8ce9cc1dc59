package io.onehop.jedis;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.base.Message;
import io.onehop.core.wire.WireException;
import io.onehop.jedis.Channels.Channel;
import io.onehop.jedis.Confirmations.Kind;
import io.onehop.jedis.internal.command.Commands;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.connection.NodeSocket;
import io.onehop.jedis.internal.connection.StackRoom;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.failure.Late;
import io.onehop.jedis.internal.pool.Holder;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.pool.SubscribedNode;
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
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * What {@code JedisPubSub} takes for its connection. It stands for the connections of all nodes
 * that have the caller's channels.
 *
 * <p>In: SUBSCRIBE, UNSUBSCRIBE and the like, from any thread. Out: confirmations and messages as
 * from one server, to the thread that called {@code subscribe()}, each message once. {@link
 * Channels} says on which nodes a channel is subscribed. Implements spec/route, section 6.
 */
final class Subscription extends Connection {
    /*
     * Only the thread that called subscribe() touches connections. Other threads queue their
     * command and wake it up. It waits for all nodes with one selector, without a timeout while
     * everything is confirmed. A confirmation must come within the server pool's timeout.
     *
     * What a node sends is taken in its order. Confirmations reach the caller in the order of
     * its commands. If a node confirms something that is not next yet, nothing more is
     * received from it until then. Otherwise, if one node confirmed an UNSUBSCRIBE of its
     * last channel before another node confirmed a subscription, the count would be zero and
     * everything would end. A node with a message of a pattern that other nodes have to
     * confirm first is held back, too.
     */
    final Holder holder = new Holder();
    private final CurrentRoute current;
    private final Runnable watcher;
    private Route route;
    private final Selector selector;
    private final Queue<CommandArguments> commands = new ConcurrentLinkedQueue<>();
    private final Map<Pool, SubscribedNode> nodes = new LinkedHashMap<>();
    private final Channels channels = new Channels();
    private final Confirmations confirmations = new Confirmations();

    Subscription(CurrentRoute current) {
        super(builder().socketFactory(new NodeSocket.Factory("subscription")));
        this.route = current.take();
        if (route.topology().pool().ssdb()) {
            throw Failure.ofPool(
                    Message.SUBSCRIBE_SSDB,
                    route.topology().pool().name(),
                    Outcome.NOT_SENT,
                    "subscribe");
        }
        this.current = current;
        this.protocol = RedisProtocol.RESP2;
        StackRoom.require();
        try {
            this.selector = Selector.open();
        } catch (IOException noDescriptor) {
            throw new JedisException(noDescriptor);
        }
        this.watcher = selector::wakeup;
        current.snapshots().watch(watcher);
    }

    /* ---- From any thread ---- */

    @Override
    public void sendCommand(CommandArguments command) {
        if (!selector.isOpen()) {
            throw new JedisException("the subscription is over");
        }
        Commands.requireFits(command, route.topology().pool().name());
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

    /** The next confirmation or message, as soon as there is one. Throws what a node refused. */
    @Override
    public Object getUnflushedObject() {
        while (true) {
            for (CommandArguments command = commands.poll();
                    command != null;
                    command = commands.poll()) {
                send(command);
            }
            List<?> next = confirmations.next();
            if (next == null) {
                next = receive();
            }
            if (next != null) {
                return next;
            }
            follow();
            await();
        }
    }

    /** The next message of any node. Notes confirmations on the way. */
    private @Nullable List<?> receive() {
        boolean isConfirmed = false;
        for (Map.Entry<Pool, SubscribedNode> each : nodes.entrySet()) {
            Pool pool = each.getKey();
            SubscribedNode node = each.getValue();
            Object said = node.next();
            while (said != null && isTold(pool, words(said, pool, node))) {
                node.taken();
                said = node.next();
            }
            if (said == null) {
                continue;
            }
            List<?> words = words(said, pool, node);
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
                if (isOfCluster()) {
                    OneHopException over =
                            Failure.moved(
                                    Message.SLOT_MOVED,
                                    (byte[]) words.get(1),
                                    pool.endpoint().nodeName());
                    route.failed(over);
                    throw over;
                }
                throw node.failure(new WireException(Message.WIRE_CONFIRMATION));
            }
        }
        List<?> next = confirmations.next();
        return next == null && isConfirmed ? receive() : next;
    }

    private boolean isOfCluster() {
        return route.snapshot().pool().cluster();
    }

    /** True for a message that another node of the Redis Cluster has for the caller, too. */
    private boolean isTold(Pool pool, List<?> words) {
        Kind message = Kind.ofMessage((byte[]) words.get(0));
        return message != null && isOfCluster() && !channels.counts(pool, message, words);
    }

    /**
     * The words with which a message or a confirmation begins: its kind, and its channel or
     * pattern.
     */
    private List<?> words(Object said, Pool pool, SubscribedNode node) {
        if (said instanceof JedisDataException refused) {
            throw route.subscriptionFailure(refused, pool);
        }
        if (!(said instanceof List<?> words)
                || words.size() < 2
                || !(words.get(0) instanceof byte[])
                || !(words.get(1) instanceof byte[])) {
            throw node.failure(new WireException(Message.WIRE_MESSAGE));
        }
        return words;
    }

    private void await() {
        Deadline deadline = confirmations.deadline();
        try {
            nodes.values().forEach(SubscribedNode::listen);
            boolean isLate = deadline.hasPassed();
            if (commands.isEmpty()
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
            Pool pool =
                    confirmations.deadline() == Deadline.NONE
                            ? nodes.keySet().iterator().next()
                            : confirmations.missing();
            throw Objects.requireNonNull(nodes.get(pool), "only these were asked").failure(over);
        }
        nodes.values().forEach(node -> node.fill(selector.selectedKeys()));
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
                    isLeaving ? channels.nodes(channel) : Channels.homes(route, channel);
            targets.forEach(
                    pool -> parts.computeIfAbsent(pool, first -> new ArrayList<>()).add(word));
            confirmations.expect(command, word, targets, deadline());
            if (isLeaving) {
                channels.leave(channel);
            } else {
                channels.enter(channel, targets);
            }
        }
        parts.forEach((pool, part) -> node(pool).send(command, part));
    }

    /**
     * PING goes to one node. A command that leaves nothing goes to none. A command without channels
     * goes to one node, which will refuse it.
     */
    private void sendToAny(Command command, List<byte[]> words, boolean isLeaving) {
        Set<Pool> target = Set.of();
        if (!isLeaving) {
            Pool pool =
                    nodes.isEmpty()
                            ? route.pools()[route.topology().nodes().get(0).index()]
                            : nodes.keySet().iterator().next();
            target = Set.of(pool);
            node(pool).send(command, words);
        }
        confirmations.expect(command, null, target, deadline());
    }

    /* ---- After a change of the configuration or of the map ---- */

    /**
     * After a change, other clients publish by the newest snapshot. Notifications are followed to
     * the new masters of a Redis Cluster. For all else, no message is missed if the new nodes are
     * all subscribed. Otherwise this throws, because the silence would not be noticed.
     */
    private void follow() {
        Route newest = current.take();
        if (newest == route) {
            return;
        }
        boolean isCluster = newest.snapshot().pool().cluster();
        List<Pool> there =
                newest.topology().nodes().stream()
                        .map(node -> newest.pools()[node.index()])
                        .toList();
        for (Channel channel : channels.all()) {
            Set<Pool> heard = channels.nodes(channel);
            Set<Pool> homes = Channels.homes(newest, channel);
            boolean isFollowed = isCluster && channel.isOfEveryNode();
            boolean isAtHome =
                    isCluster && channel.kind() != Kind.SHARDED
                            ? there.containsAll(heard)
                            : heard.containsAll(homes);
            if (isCluster != isOfCluster() || !isFollowed && !isAtHome) {
                throw Failure.moved(
                        Message.CHANNEL_MOVED,
                        channel.bytes(),
                        heard.iterator().next().endpoint().nodeName());
            }
            if (isFollowed) {
                follow(channel, homes);
            }
        }
        if (!channels.all().isEmpty()) {
            nodes.keySet().stream()
                    .filter(pool -> !channels.uses(pool))
                    .toList()
                    .forEach(this::leave);
        }
        route = newest;
    }

    /** The caller does not learn of it. What it has left may still be on the way. */
    private void follow(Channel channel, Set<Pool> homes) {
        List<byte[]> name = List.of(channel.bytes());
        Set<Pool> heard = Set.copyOf(channels.nodes(channel));
        for (Pool pool : homes) {
            if (!heard.contains(pool)) {
                node(pool).send(channel.kind().enter(), name);
                confirmations.expectOwn(channel.kind().enter(), channel.bytes(), pool, deadline());
                channels.enter(channel, Set.of(pool));
            }
        }
        for (Pool pool : heard) {
            if (!homes.contains(pool)) {
                channels.leave(channel, pool);
                node(pool).send(channel.kind().leave(), name);
                confirmations.expectOwn(channel.kind().leave(), channel.bytes(), pool, deadline());
            }
        }
    }

    private void leave(Pool pool) {
        confirmations.leave(pool);
        Objects.requireNonNull(nodes.remove(pool), "it is one of them").close();
    }

    private SubscribedNode node(Pool pool) {
        return nodes.computeIfAbsent(
                pool,
                first ->
                        new SubscribedNode(
                                pool, selector, holder, route.topology().pool().timeoutMs()));
    }

    private Deadline deadline() {
        return Deadline.in(route.topology().pool().timeoutMs());
    }

    /** Closes every connection, because the nodes go on sending messages. */
    @Override
    public void close() {
        current.snapshots().unwatch(watcher);
        try {
            selector.close();
        } catch (IOException ignored) {
            // It is closed all the same.
        }
        nodes.values().forEach(SubscribedNode::close);
        nodes.clear();
    }
}
