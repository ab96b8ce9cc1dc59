package io.onehop.jedis;

import io.onehop.core.Distribution;
import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.base.Message;
import io.onehop.core.topology.ServerPool;
import io.onehop.core.wire.WireException;
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
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * What {@code JedisPubSub} takes for its connection. It stands for the connections of all nodes
 * that have the caller's channels.
 *
 * <p>In: SUBSCRIBE, UNSUBSCRIBE and the like, from any thread. Out: confirmations and messages as
 * from one server, to the thread that called {@code subscribe()}. A channel is subscribed on its
 * own node, where PUBLISH goes, too. A pattern is subscribed on every node, but in a Redis Cluster
 * on one, which passes on the messages of all. So each message comes once. Implements spec/route,
 * section 6.
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
    private final Route route;
    private final Selector selector;
    private final Queue<CommandArguments> commands = new ConcurrentLinkedQueue<>();
    private final Map<Integer, SubscribedNode> nodes = new TreeMap<>();
    private final Confirmations confirmations = new Confirmations();
    private @Nullable Route checked;

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
            requireAtHome();
            await();
        }
    }

    /** The next message of any node. Notes confirmations on the way. */
    private @Nullable List<?> receive() {
        boolean isConfirmed = false;
        for (Map.Entry<Integer, SubscribedNode> each : nodes.entrySet()) {
            SubscribedNode node = each.getValue();
            Object said = node.next();
            if (said instanceof JedisDataException refused) {
                throw route.subscriptionFailure(refused, route.pools()[each.getKey()]);
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
            if (message == null && confirmations.take(each.getKey(), words)) {
                node.taken();
                isConfirmed = true;
            } else if (message == null && !confirmations.isExpected(each.getKey(), words)) {
                // A node ends the sharded channels of a slot that it gives away.
                if (route.snapshot().pool().cluster()) {
                    OneHopException over =
                            Failure.moved(
                                    Message.SLOT_MOVED,
                                    (byte[]) words.get(1),
                                    route.pools()[each.getKey()].endpoint().nodeName());
                    route.failed(over);
                    throw over;
                }
                throw node.failure(new WireException(Message.WIRE_CONFIRMATION));
            }
        }
        List<?> next = confirmations.next();
        return next == null && isConfirmed ? receive() : next;
    }

    /**
     * The words with which a message or a confirmation begins: its kind, and its channel or
     * pattern.
     */
    private static List<?> words(Object said, SubscribedNode node) {
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
            int index =
                    confirmations.deadline() == Deadline.NONE
                            ? nodes.keySet().iterator().next()
                            : confirmations.missing();
            throw Objects.requireNonNull(nodes.get(index), "only these were asked").failure(over);
        }
        nodes.values().forEach(node -> node.fill(selector.selectedKeys()));
    }

    /* ---- Where commands go ---- */

    private void send(CommandArguments arguments) {
        Command command = (Command) arguments.getCommand();
        Kind kind = Kind.of(command);
        List<byte[]> channels = new ArrayList<>();
        for (int i = 1; i < arguments.size(); i++) {
            channels.add(arguments.get(i).getRaw());
        }
        boolean isLeaving = kind != null && kind.isLeftBy(command);
        if (kind != null && isLeaving && channels.isEmpty()) {
            channels = confirmations.wanted(kind);
        }
        if (command == Command.PING || channels.isEmpty()) {
            sendToAny(command, channels, isLeaving);
            return;
        }
        Map<Integer, List<byte[]>> parts = new TreeMap<>();
        for (byte[] channel : channels) {
            BitSet targets = targets(kind, channel, isLeaving);
            targets.stream()
                    .forEach(
                            node ->
                                    parts.computeIfAbsent(node, first -> new ArrayList<>())
                                            .add(channel));
            confirmations.expect(command, channel, targets, deadline());
        }
        parts.forEach((node, part) -> node(node).send(command, part));
        checked = null;
    }

    /**
     * PING goes to one node. A command that leaves nothing goes to none. A command without channels
     * goes to one node, which will refuse it.
     */
    private void sendToAny(Command command, List<byte[]> words, boolean isLeaving) {
        BitSet target = new BitSet();
        if (!isLeaving) {
            int node =
                    nodes.isEmpty()
                            ? route.topology().nodes().get(0).index()
                            : nodes.keySet().iterator().next();
            target.set(node);
            node(node).send(command, words);
        }
        confirmations.expect(command, null, target, deadline());
    }

    /** The nodes of a channel. Leaving it concerns only nodes that are subscribed. */
    private BitSet targets(@Nullable Kind kind, byte[] channel, boolean isLeaving) {
        BitSet targets = homes(route, kind, channel);
        for (int i = 0; i < route.pools().length; i++) {
            targets.set(i, targets.get(i) && (!isLeaving || nodes.containsKey(i)));
        }
        return targets;
    }

    /** The nodes on which this route publishes a channel's messages. */
    private static BitSet homes(Route route, @Nullable Kind kind, byte[] channel) {
        BitSet homes = new BitSet();
        ServerPool pool = route.snapshot().pool();
        boolean isAnywhere = pool.distribution() == Distribution.RANDOM;
        // A Redis Cluster passes each message on to every node.
        if ((kind == Kind.PATTERN || isAnywhere) && !pool.cluster()) {
            homes.set(0, pool.servers().size());
        } else {
            homes.set(route.topology().locateIndex(channel, 0, channel.length));
        }
        return homes;
    }

    /**
     * After a change of the configuration, other clients publish by the new one. If the new nodes
     * are all subscribed, no message is missed. Otherwise this throws, because the silence would
     * not be noticed.
     */
    private void requireAtHome() {
        Route newest = current.take();
        if (newest == checked || newest == route) {
            return;
        }
        boolean wasCluster = route.snapshot().pool().cluster();
        boolean isCluster = newest.snapshot().pool().cluster();
        List<Pool> there =
                newest.topology().nodes().stream()
                        .map(node -> newest.pools()[node.index()])
                        .toList();
        for (Kind kind : Kind.values()) {
            for (byte[] channel : confirmations.wanted(kind)) {
                List<Pool> heard =
                        homes(route, kind, channel).stream()
                                .mapToObj(node -> route.pools()[node])
                                .toList();
                boolean isAtHome =
                        isCluster && kind != Kind.SHARDED
                                ? there.containsAll(heard)
                                : homes(newest, kind, channel).stream()
                                        .allMatch(node -> heard.contains(newest.pools()[node]));
                if (isCluster != wasCluster || !isAtHome) {
                    throw Failure.moved(
                            Message.CHANNEL_MOVED, channel, heard.get(0).endpoint().nodeName());
                }
            }
        }
        checked = newest;
    }

    private SubscribedNode node(int index) {
        return nodes.computeIfAbsent(
                index,
                first ->
                        new SubscribedNode(
                                route.pools()[index],
                                selector,
                                holder,
                                route.topology().pool().timeoutMs()));
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
