package io.onehop.jedis;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.base.Message;
import io.onehop.jedis.Channels.Channel;
import io.onehop.jedis.Confirmations.Kind;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.pool.Holder;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.pool.SubscribedNode;
import io.onehop.jedis.internal.pool.SubscribedNode.Lost;
import io.onehop.jedis.internal.route.Route;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.Protocol.Command;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The nodes of a subscription: those that are connected, and those that were lost and are
 * subscribed again when they are back.
 *
 * <p>In: nodes that failed, and the newest route. Out: commands that bring each channel to the
 * nodes where it belongs. The caller does not see their confirmations. The log and a {@link
 * ChannelsListener} say what is lost and what is back. For one thread. Implements spec/route,
 * section 6.
 */
final class SubscribedNodes implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.onehop");

    private final Selector selector;
    private final Holder holder;
    private final Channels channels;
    private final Confirmations confirmations;
    private final @Nullable ChannelsListener listener;
    private final Map<Pool, SubscribedNode> connected = new LinkedHashMap<>();
    private final LostNodes lost;
    private final List<Runnable> news = new ArrayList<>();
    private final Map<Pool, OneHopException> reasons =
            new LinkedHashMap<>(); // Why nodes were lost.
    private Route route;

    SubscribedNodes(
            Route route,
            Selector selector,
            Holder holder,
            Channels channels,
            Confirmations confirmations,
            Object subscriber) {
        this.route = route;
        this.selector = selector;
        this.holder = holder;
        this.channels = channels;
        this.confirmations = confirmations;
        this.listener = subscriber instanceof ChannelsListener told ? told : null;
        this.lost = new LostNodes(this::connect, selector::wakeup);
    }

    private SubscribedNode connect(Pool pool) {
        return new SubscribedNode(pool, selector, holder, pool.endpoint().timeoutMs());
    }

    Route route() {
        return route;
    }

    int timeoutMs() {
        return route.topology().pool().timeoutMs();
    }

    boolean areOfCluster() {
        return route.snapshot().pool().cluster();
    }

    Collection<SubscribedNode> connected() {
        return connected.values();
    }

    /** Makes the failure of a wait for this node; {@code null}: for any node. */
    Lost lost(@Nullable Pool pool, IOException over) {
        Pool blamed = pool == null ? any() : pool;
        SubscribedNode node = connected.get(blamed);
        return node == null
                ? new Lost(
                        blamed,
                        Failure.of(over, blamed.endpoint().nodeName(), Outcome.MAYBE_EXECUTED))
                : node.lost(over);
    }

    /** A node that may answer. */
    Pool any() {
        return connected.isEmpty()
                ? route.pools()[route.topology().nodes().get(0).index()]
                : connected.keySet().iterator().next();
    }

    /** The nodes where a channel belongs and that are not lost. */
    Set<Pool> homes(Channel channel) {
        Set<Pool> homes = new LinkedHashSet<>(Channels.homes(route, channel));
        homes.removeIf(lost::has);
        if (homes.isEmpty() && Channels.isOfAnyNode(route, channel)) {
            Pool other = other();
            return other == null ? homes : Set.of(other);
        }
        return homes;
    }

    /** Notes that the caller wants this channel, which will be subscribed on these nodes. */
    void enter(Channel channel, Set<Pool> homes) {
        channels.enter(channel, homes);
        for (Pool pool : Channels.homes(route, channel)) {
            OneHopException reason = reasons.get(pool);
            if (reason != null && !Channels.isOfAnyNode(route, channel)) {
                news.add(() -> tellMissing(pool, List.of(channel), reason));
            }
        }
    }

    /** A node of a Redis Cluster that is not lost. */
    private @Nullable Pool other() {
        return connected.isEmpty()
                ? Channels.masters(route).stream()
                        .filter(pool -> !lost.has(pool))
                        .findFirst()
                        .orElse(null)
                : connected.keySet().iterator().next();
    }

    /** Sends this to a node, over a new connection if there is none. */
    void send(Pool pool, Command command, List<byte[]> words) {
        try {
            SubscribedNode node = connected.get(pool);
            if (node == null) {
                node = connect(pool);
                connected.put(pool, node);
            }
            node.send(command, words);
        } catch (Lost event) {
            lose(event);
        } catch (OneHopException unconnected) {
            lose(new Lost(pool, unconnected));
        }
    }

    /* ---- Nodes that fail ---- */

    /** True if the caller should be told something, or everything may be lost. */
    boolean haveNews() {
        return !news.isEmpty();
    }

    /** Throws if all nodes of the caller's channels are lost. Otherwise tells what has happened. */
    void requireHeard() {
        if (news.isEmpty()) {
            return;
        }
        if (!reasons.isEmpty() && !channels.areHeard()) {
            throw reasons.values().iterator().next();
        }
        List<Runnable> told = List.copyOf(news);
        news.clear();
        told.forEach(Runnable::run);
    }

    void lose(Lost event) {
        Pool pool = event.pool();
        OneHopException failure = event.failure();
        SubscribedNode node = connected.remove(pool);
        if (node != null) {
            node.close();
        }
        if (Thread.currentThread().isInterrupted()) {
            throw failure;
        }
        route.failed(failure);
        confirmations.leave(pool);
        List<Channel> silent = channels.leave(pool);
        reasons.put(pool, failure);
        news.add(() -> tellMissing(pool, silent, failure));
        if (Arrays.asList(route.pools()).contains(pool)) {
            lost.seek(pool);
        }
        replace(
                silent.stream()
                        .filter(channel -> Channels.isOfAnyNode(route, channel))
                        .filter(channel -> channels.nodes(channel).isEmpty())
                        .toList());
    }

    /**
     * Subscribes silent channels on another node of the Redis Cluster, which delivers the same
     * messages.
     */
    private void replace(List<Channel> silent) {
        Pool other = other();
        if (!silent.isEmpty() && other != null) {
            subscribe(other, silent);
        }
    }

    private void tellMissing(Pool pool, List<Channel> silent, OneHopException failure) {
        if (silent.isEmpty()) {
            return;
        }
        LOG.log(
                Level.WARNING,
                pool.endpoint().nodeName().label()
                        + ": "
                        + Message.CHANNELS_MISSING.what(
                                Failure.what(failure, pool.endpoint().nodeName()), silent.size()));
        if (listener != null) {
            listener.onMissing(pool.endpoint().name(), names(silent), failure);
        }
    }

    private void tellBack(Pool pool, List<Channel> back) {
        LOG.log(
                Level.INFO,
                pool.endpoint().nodeName().label()
                        + ": "
                        + Message.CHANNELS_BACK.what(back.size()));
        if (listener != null) {
            listener.onBack(pool.endpoint().name(), names(back));
        }
    }

    private static List<String> names(List<Channel> channels) {
        return channels.stream().map(Channel::toString).toList();
    }

    /** Subscribes everything that belongs to nodes that answer again. */
    void takeBack() {
        for (SubscribedNode node = lost.next(); node != null; node = lost.next()) {
            Pool pool = node.pool();
            reasons.remove(pool);
            connected.put(pool, node);
            List<Channel> lacking =
                    channels.all().stream()
                            .filter(channel -> channels.lacks(route, channel, pool))
                            .toList();
            if (lacking.isEmpty()) {
                drop(pool);
            } else {
                subscribe(pool, lacking);
            }
        }
    }

    private void drop(Pool pool) {
        confirmations.leave(pool);
        SubscribedNode node = connected.remove(pool);
        if (node != null) {
            node.close();
        }
    }

    /** Subscribes these channels on a node, and tells the caller only when all are confirmed. */
    private void subscribe(Pool pool, List<Channel> them) {
        Channel last = them.get(them.size() - 1);
        Map<Kind, List<Channel>> kinds =
                them.stream()
                        .collect(
                                Collectors.groupingBy(
                                        Channel::kind, LinkedHashMap::new, Collectors.toList()));
        kinds.values().stream()
                .flatMap(List::stream)
                .forEach(
                        channel -> {
                            channels.enter(channel, Set.of(pool));
                            expectOwn(
                                    pool,
                                    channel.kind().enter(),
                                    channel,
                                    channel == last
                                            ? () -> news.add(() -> tellBack(pool, them))
                                            : () -> {});
                        });
        kinds.forEach((kind, same) -> sendOwn(pool, kind.enter(), same));
    }

    private void sendOwn(Pool pool, Command command, List<Channel> same) {
        if (channels.uses(pool)) { // The node was not lost in between.
            send(pool, command, same.stream().map(Channel::bytes).toList());
        }
    }

    private void expectOwn(Pool pool, Command command, Channel channel, Runnable then) {
        confirmations.expectOwn(command, channel.bytes(), pool, Deadline.in(timeoutMs()), then);
    }

    /* ---- After a change of the configuration or of the map ---- */

    /**
     * After a change, other clients publish by the newest snapshot. Channels that are subscribed
     * nowhere at the moment are subscribed where they belong now. Notifications follow the new
     * masters of a Redis Cluster. Another channel must be subscribed already on all nodes where it
     * belongs now, except lost ones; in a Redis Cluster, its node must still be there, unless the
     * channel is sharded. Otherwise this method throws, because nobody would notice the silence.
     */
    void follow(Route newest) {
        if (newest == route) {
            return;
        }
        List<Pool> there =
                newest.topology().nodes().stream()
                        .map(node -> newest.pools()[node.index()])
                        .toList();
        for (Channel channel : channels.all()) {
            requireAtHome(newest, channel, there);
        }
        route = newest;
        lost.keepOnly(there);
        reasons.keySet().retainAll(there);
        channels.all().forEach(this::leaveStrangers);
        seekMissing();
        connected.keySet().stream()
                .filter(pool -> !channels.uses(pool) && !channels.all().isEmpty())
                .toList()
                .forEach(this::drop);
    }

    private void requireAtHome(Route newest, Channel channel, List<Pool> there) {
        Set<Pool> heard = channels.nodes(channel);
        Set<Pool> homes = Channels.homes(newest, channel);
        boolean isCluster = newest.snapshot().pool().cluster();
        boolean isAtHome =
                isCluster && channel.kind() != Kind.SHARDED
                        ? isFollowed(newest, channel) || there.containsAll(heard)
                        : homes.stream()
                                .allMatch(pool -> heard.contains(pool) || lost.hasNamed(pool));
        if (isCluster != areOfCluster() || !heard.isEmpty() && !isAtHome) {
            throw Failure.moved(
                    Message.CHANNEL_MOVED,
                    channel.bytes(),
                    (heard.isEmpty() ? homes : heard).iterator().next().endpoint().nodeName());
        }
    }

    /** True for notifications in a Redis Cluster. */
    private static boolean isFollowed(Route route, Channel channel) {
        return route.snapshot().pool().cluster()
                && channel.kind() != Kind.SHARDED
                && !Channels.isOfAnyNode(route, channel);
    }

    /**
     * Ends the channel's subscriptions on nodes that are no longer masters, because the caller
     * would get each notification a second time.
     */
    private void leaveStrangers(Channel channel) {
        Set<Pool> strangers = new LinkedHashSet<>(channels.nodes(channel));
        strangers.removeAll(Channels.homes(route, channel));
        if (isFollowed(route, channel)) {
            for (Pool pool : strangers) {
                channels.leave(channel, pool);
                expectOwn(pool, channel.kind().leave(), channel, () -> {});
                send(pool, channel.kind().leave(), List.of(channel.bytes()));
            }
        }
    }

    /** Subscribes what connected nodes lack, and seeks the nodes that are not connected. */
    void seekMissing() {
        Map<Pool, List<Channel>> lacking = new LinkedHashMap<>();
        for (Channel channel : channels.all()) {
            for (Pool pool : Channels.homes(route, channel)) {
                if (channels.lacks(route, channel, pool)) {
                    lacking.computeIfAbsent(pool, first -> new ArrayList<>()).add(channel);
                }
            }
        }
        lacking.forEach(
                (pool, them) -> {
                    if (connected.containsKey(pool)) {
                        subscribe(pool, them);
                    } else {
                        lost.seek(pool);
                    }
                });
    }

    @Override
    public void close() {
        lost.close();
        connected.values().forEach(SubscribedNode::close);
        connected.clear();
    }
}
