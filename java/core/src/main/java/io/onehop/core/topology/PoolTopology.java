package io.onehop.core.topology;

import io.onehop.core.Explanation;
import io.onehop.core.Node;
import io.onehop.core.Role;
import io.onehop.core.Topology;
import io.onehop.core.base.Limits;
import io.onehop.core.hash.HashFunction;
import io.onehop.core.key.Key;
import io.onehop.core.key.Key.HashTag;
import io.onehop.core.placement.AnyNode;
import io.onehop.core.placement.Foreign;
import io.onehop.core.placement.Foreign.Shard;
import io.onehop.core.placement.Ketama;
import io.onehop.core.placement.Modula;
import io.onehop.core.placement.Placement;
import io.onehop.core.placement.Slots;
import io.onehop.core.topology.Server.Replica;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * An immutable picture of one server pool, and the way from a key to its node. Users see it as
 * {@link Topology}.
 *
 * <p>It is built once from a pool of the configuration, with or without the nodes that are ejected
 * at that moment. Then any number of threads ask it, up to a million times a second. Nothing is
 * resolved or connected here. If the topology changes, there is a new object. Implements
 * spec/topology and spec/placement.
 */
public final class PoolTopology implements Topology {

    /*
     * In a pool of one server nothing is hashed and there is no placement. Otherwise the stages
     * are hash tag, hash (0 for an empty key), placement. Servers are sorted by the length of
     * their name, then by its bytes, so the order in the file has no effect. A node's index is
     * its position in that order, ejected or not. Replicas come after the servers, in the same
     * order of names. Placement does not know them.
     */

    private static final Comparator<String> BY_LENGTH_THEN_BYTES =
            Comparator.comparing(
                    name -> name.getBytes(StandardCharsets.UTF_8),
                    Comparator.<byte[]>comparingInt(name -> name.length)
                            .thenComparing(Arrays::compareUnsigned));

    private final ServerPool pool;
    private final List<Node> byIndex;
    private final @Nullable OldRing oldRing; // The ring that keys move from.
    private final List<Node> nodes; // All nodes but those that have left the cluster.
    private final @Nullable Placement placement;
    // The distribution of another client, instead of placement and hash.
    private final @Nullable Foreign foreign;
    private final HashFunction hash;
    private final @Nullable HashTag tag;
    private final long epoch;
    // Made when it is first needed. Threads that race make equal texts.
    private @Nullable String fingerprint;
    private @Nullable Map<String, Node> byName; // Made like the fingerprint.

    private PoolTopology(
            ServerPool pool,
            List<Node> byIndex,
            @Nullable Placement placement,
            @Nullable Foreign foreign,
            @Nullable OldRing oldRing,
            long epoch) {
        this.pool = pool;
        this.oldRing = oldRing;
        this.foreign = foreign;
        this.byIndex = byIndex;
        this.nodes =
                byIndex.stream().allMatch(Nodes::isThere)
                        ? byIndex
                        : byIndex.stream().filter(Nodes::isThere).toList();
        this.placement = placement;
        this.hash =
                pool.foreign() == null
                        ? HashFunction.named(pool.hash())
                        : (bytes, offset, length) -> 0; // The other distribution has its own hash.
        this.tag = pool.hashTag();
        this.epoch = epoch;
    }

    /** The topology of a pool without ejected nodes. */
    public static PoolTopology of(ServerPool pool) {
        return of(pool, Set.of());
    }

    /**
     * The topology of a pool in which the nodes of these names are ejected. If all nodes are
     * ejected, placement ignores ejection.
     *
     * @throws IllegalArgumentException if no node has one of the names
     */
    public static PoolTopology of(ServerPool pool, Set<String> ejected) {
        List<Node> nodes = sorted(pool);
        checkNames(pool, nodes, ejected);
        List<Node> live = nodes.stream().filter(node -> !ejected.contains(node.name())).toList();
        boolean hasOne = nodes.size() == 1 && !pool.cluster();
        Map<String, Integer> indexes = indexes(nodes);
        ServerPool movingFrom = pool.movingFrom();
        OldRing oldRing = movingFrom == null ? null : new OldRing(of(movingFrom), nodes);
        return new PoolTopology(
                pool,
                oldRing != null
                        ? oldRing.nodes()
                        : withReplicas(
                                nodes, ordered(pool.replicas(), indexes), indexes, pool.zone()),
                hasOne ? null : placement(pool, live.isEmpty() ? nodes : live),
                hasOne ? null : foreign(pool),
                oldRing,
                0);
    }

    /** The topology of a Redis Cluster with its nodes and slots, at that epoch. */
    public static PoolTopology of(ServerPool pool, List<Node> nodes, Slots slots, long epoch) {
        return new PoolTopology(pool, List.copyOf(nodes), slots, null, null, epoch);
    }

    /**
     * The topology of the same Redis Cluster after slots have moved to other nodes. Its fingerprint
     * is made of the new owners.
     *
     * @param owners the index of the new node of each moved slot
     */
    public PoolTopology withSlots(Map<Integer, Integer> owners) {
        List<Node> changed = new ArrayList<>(byIndex);
        owners.values()
                .forEach(node -> changed.set(node, Nodes.as(byIndex.get(node), Role.MASTER, node)));
        return of(pool, changed, slots().with(owners), epoch);
    }

    /**
     * The same topology with the addresses and the replicas that the Sentinels name. Keys stay
     * where they are, and the fingerprint is that of the configuration.
     *
     * @param moved the servers with their new addresses; their names are the same, in the order of
     *     the configuration
     * @param ids the ids by name; an id changes with the master
     * @param replicas the replicas; if two have the same name, the replica whose master comes first
     *     counts
     */
    public PoolTopology withMasters(
            List<Server> moved, Map<String, String> ids, List<Replica> replicas) {
        List<Node> masters = new ArrayList<>(byIndex.subList(0, pool.servers().size()));
        for (Server server : moved) {
            int index = Objects.requireNonNull(find(server.name())).index();
            String id = ids.getOrDefault(server.name(), "");
            masters.set(index, Nodes.watched(index, server, id, pool.zone()));
        }
        Map<String, Integer> indexes = indexes(masters);
        List<Replica> kept = ordered(replicas, indexes);
        PoolTopology after =
                new PoolTopology(
                        pool.withNodes(moved, kept),
                        withReplicas(masters, kept, indexes, pool.zone()),
                        placement,
                        foreign,
                        null,
                        epoch);
        after.fingerprint = fingerprint();
        return after;
    }

    private static Map<String, Integer> indexes(List<Node> masters) {
        return masters.stream().collect(Collectors.toMap(Node::name, Node::index));
    }

    /**
     * The replicas of these masters, in the order of nodes. {@code indexes}: the masters by name.
     * If two replicas have the same name, the replica whose master comes first is kept.
     */
    private static List<Replica> ordered(List<Replica> replicas, Map<String, Integer> indexes) {
        Set<String> names = new HashSet<>();
        return replicas.stream()
                .filter(replica -> indexes.containsKey(replica.master()))
                .sorted(
                        Comparator.comparing(Replica::name, BY_LENGTH_THEN_BYTES)
                                .thenComparing(replica -> indexes.get(replica.master())))
                .filter(replica -> names.add(replica.name()))
                .limit(Limits.POOL_SERVERS_MAX)
                .toList();
    }

    /** The nodes, and after them the nodes of the replicas. */
    private static List<Node> withReplicas(
            List<Node> masters, List<Replica> ordered, Map<String, Integer> indexes, Zone zone) {
        List<Node> all = new ArrayList<>(masters);
        for (Replica replica : ordered) {
            int master = Objects.requireNonNull(indexes.get(replica.master()));
            all.add(Nodes.of(all.size(), replica, master, zone));
        }
        return List.copyOf(all);
    }

    /**
     * The lowest slot of each master of a Redis Cluster, ascending. SCAN visits them in this order.
     */
    public int[] firstSlots() {
        BitSet seen = new BitSet();
        int[] first = new int[byIndex.size()];
        int count = 0;
        for (int slot = 0; slot < Slots.COUNT; slot++) {
            if (isServed(slot) && !seen.get(nodeOfSlot(slot))) {
                seen.set(nodeOfSlot(slot));
                first[count++] = slot;
            }
        }
        return Arrays.copyOf(first, count);
    }

    /**
     * The index of the node that has a slot of a Redis Cluster; if no node has it, of the
     * substitute.
     */
    public int nodeOfSlot(int slot) {
        return slots().locate(slot);
    }

    /** True if a slot of a Redis Cluster has an owner. */
    public boolean isServed(int slot) {
        return slots().isServed(slot);
    }

    /** How many slots of a Redis Cluster have an owner. */
    public int servedCount() {
        return slots().servedCount();
    }

    @SuppressWarnings("NullAway") // Only a Redis Cluster is asked, and it has a placement.
    private Slots slots() {
        return (Slots) placement;
    }

    /** The epoch of the Redis Cluster's slots; 0 before the first map. */
    public long epoch() {
        return epoch;
    }

    @Override
    public @Nullable Node find(String name) {
        Map<String, Node> made = byName;
        if (made == null) {
            made =
                    nodes.stream()
                            .collect(
                                    Collectors.toUnmodifiableMap(
                                            Node::name, node -> node, (node, again) -> node));
            byName = made;
        }
        return made.get(name);
    }

    private static void checkNames(ServerPool pool, List<Node> nodes, Set<String> ejected) {
        Set<String> unknown = new HashSet<>(ejected);
        nodes.forEach(node -> unknown.remove(node.name()));
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException(
                    "Server pool " + pool.name() + " has no nodes named " + unknown + ".");
        }
    }

    /** The nodes of the ring that keys move from; none if there is no such ring. */
    static List<Node> oldSorted(ServerPool pool) {
        ServerPool from = pool.movingFrom();
        return from == null ? List.of() : sorted(from);
    }

    static List<Node> sorted(ServerPool pool) {
        List<Server> sorted = new ArrayList<>(pool.servers());
        if (pool.foreign() == null) {
            sorted.sort(Comparator.comparing(Server::name, BY_LENGTH_THEN_BYTES));
        }
        List<Node> nodes = new ArrayList<>();
        for (Server s : sorted) {
            nodes.add(Nodes.of(nodes.size(), s, pool.zone()));
        }
        return List.copyOf(nodes);
    }

    private static @Nullable Foreign foreign(ServerPool pool) {
        Foreign.Row row = pool.foreign();
        if (row == null) {
            return null;
        }
        List<Shard> shards = new ArrayList<>();
        for (Server s : pool.servers()) {
            shards.add(new Shard(s.name(), s.isNamed(), shards.size(), s.weight(), s.slots()));
        }
        return row.maker().of(shards, pool.hash(), pool.hashTag());
    }

    private static @Nullable Placement placement(ServerPool pool, List<Node> live) {
        return switch (pool.distribution()) {
            case KETAMA -> Ketama.of(live);
            case MODULA -> Modula.of(live);
            case RANDOM -> AnyNode.of(live);
            case SLOTS -> Slots.unserved(live.size());
            default -> null;
        };
    }

    /**
     * The index of the node that has a key, given as {@code length} bytes from {@code offset}. It
     * allocates nothing and takes no lock.
     */
    public int locateIndex(byte[] key, int offset, int length) {
        return placement == null
                ? locateOtherwise(key, offset, length)
                : placement.locate(hash(Key.hashed(key, offset, length, tag), key));
    }

    /** Locates a key in a pool of one server, or under the distribution of another client. */
    private int locateOtherwise(byte[] key, int offset, int length) {
        return foreign == null ? 0 : foreign.locate(key, offset, length);
    }

    private int hash(long part, byte[] key) {
        return Key.length(part) == 0 ? 0 : hash.of(key, Key.offset(part), Key.length(part));
    }

    /** True if keys move to this pool from another ring. */
    public boolean isMoving() {
        return oldRing != null;
    }

    /**
     * The index of the old owner of a key whose owner is {@code owner}; -1: the key does not move.
     */
    public int oldOwner(byte[] key, int owner) {
        return oldRing == null ? -1 : oldRing.oldOwner(key, owner);
    }

    /** The hash tag of the ring that keys move from; {@code null} if it has none. */
    public @Nullable HashTag oldTag() {
        ServerPool from = pool.movingFrom();
        return from == null ? null : from.hashTag();
    }

    /** True if the ring that keys move from has one server. */
    public boolean hasOneOldOwner() {
        return oldRing != null && oldRing.hasOneServer();
    }

    /**
     * False if a MIGRATE from one of these nodes to the other is impossible because of their kind.
     */
    public boolean mayMigrate(Node old, Node owner) {
        return old.host() != null
                && owner.host() != null
                && pool.redisDb() == 0
                && !(isOfBothRings(old.index()) && isOfBothRings(owner.index()));
    }

    private boolean isOfBothRings(int node) {
        return oldRing != null && node < pool.servers().size() && oldRing.has(node);
    }

    /** The indexes of all old owners; none if no keys move. */
    public int[] oldOwners() {
        int rings = scanned().length;
        int old = rings == 0 ? 0 : rings - pool.servers().size();
        return Arrays.stream(scanned()).limit(old).distinct().toArray();
    }

    /** The nodes in the order in which SCAN visits them, while keys move. */
    public int[] scanned() {
        return oldRing == null ? new int[0] : oldRing.scanned();
    }

    @Override
    public Node locate(byte[] key) {
        return byIndex.get(locateIndex(key, 0, key.length));
    }

    @Override
    public Node locate(String key) {
        return locate(key.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public List<Node> nodes() {
        return nodes;
    }

    /**
     * The nodes by index. A node that has left a Redis Cluster still has an entry ({@link
     * Role#GONE}).
     */
    public List<Node> byIndex() {
        return byIndex;
    }

    /** The pool of this topology. */
    public ServerPool pool() {
        return pool;
    }

    @Override
    public String fingerprint() {
        String made = fingerprint;
        if (made == null) {
            made =
                    placement instanceof Slots slots && slots.servedCount() > 0
                            ? Fingerprint.of(slots, byIndex)
                            : Fingerprint.of(
                                    pool,
                                    byIndex.subList(0, pool.servers().size()),
                                    oldSorted(pool));
            fingerprint = made;
        }
        return made;
    }

    /**
     * The part of the key space that each node has now, by index, 0 to 1; ejected nodes have 0.
     * spec/meter, section 3.
     */
    public double[] shares() {
        int[] owned =
                placement != null
                        ? placement.owned(byIndex.size())
                        : foreign != null ? foreign.owned(byIndex.size()) : new int[byIndex.size()];
        if (placement == null && foreign == null) {
            owned[0] = 1 << 16;
        }
        return Arrays.stream(owned).mapToDouble(count -> count / 65_536.0).toArray();
    }

    @Override
    public Explanation explain(byte[] key) {
        if (foreign != null) {
            long part = foreign.part(key, 0, key.length);
            long hashed = foreign.hash(key, Key.offset(part), Key.length(part));
            return explanation(key, part, hashed, foreign.point(hashed), foreign.locate(hashed));
        }
        if (placement == null) {
            return explanation(key, Key.hashed(key, 0, key.length, null), 0, 0, 0);
        }
        long part = Key.hashed(key, 0, key.length, tag);
        int hashed = hash(part, key);
        return explanation(
                key,
                part,
                Integer.toUnsignedLong(hashed),
                placement.point(hashed),
                placement.locate(hashed));
    }

    @Override
    public Explanation explain(String key) {
        return explain(key.getBytes(StandardCharsets.UTF_8));
    }

    private Explanation explanation(byte[] key, long part, long hashed, long point, int index) {
        byte[] bytes =
                Arrays.copyOfRange(key, Key.offset(part), Key.offset(part) + Key.length(part));
        int old = oldOwner(key, index);
        return new Explanation(
                key.clone(),
                bytes,
                pool.hash(),
                hashed,
                pool.distribution(),
                point,
                byIndex.get(index),
                old < 0 ? null : byIndex.get(old));
    }

    /**
     * How many keys have another node (by name or address) in {@code after}, in tenths of a per
     * cent. This is estimated from the fixed set of keys of spec/topology.
     */
    public int moved(PoolTopology after) {
        int moved = 0;
        for (int i = 0; i < Limits.MOVED_KEYS; i++) {
            String key = "key:" + i;
            Node from = locate(key);
            Node to = after.locate(key);
            moved += from.name().equals(to.name()) && from.address().equals(to.address()) ? 0 : 1;
        }
        return (moved + Limits.MOVED_KEYS / 2000) / (Limits.MOVED_KEYS / 1000);
    }

    /** For logs: the server pool, its nodes and the fingerprint, never a password. */
    @Override
    public String toString() {
        List<String> names = nodes.stream().map(Node::name).toList();
        return "server pool " + pool.name() + ", nodes " + names + ", fingerprint " + fingerprint();
    }
}
