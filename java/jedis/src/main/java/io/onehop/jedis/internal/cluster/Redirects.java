package io.onehop.jedis.internal.cluster;

import io.onehop.core.Node;
import io.onehop.core.cluster.Redirect;
import io.onehop.core.command.Command;
import io.onehop.core.topology.PoolTopology;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.batch.Forwarding;
import io.onehop.jedis.internal.batch.Lane;
import io.onehop.jedis.internal.batch.Lanes;
import io.onehop.jedis.internal.batch.Prelude;
import io.onehop.jedis.internal.batch.Taker;
import io.onehop.jedis.internal.command.Commands;
import io.onehop.jedis.internal.command.Scripts;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.snapshot.Snapshot;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisDataException;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * The commands of one batch that a node of a Redis Cluster has not executed, because it does not
 * have the slot, or not now: sent on, in rounds, until each has a reply.
 *
 * <pre>
 *     lanes ─► replies ─► an error that redirects? noted: its command, its slot, who waits for it
 *                all are in ─► those commands, in lanes again, to the nodes that were named ─► replies, or one more round
 * </pre>
 *
 * <p>In: errors in the place of replies, as a {@link Lane} meets them. Out: every taker was told,
 * by the batch's own deadline. Commands on one slot stay together and in order. What each error
 * means is {@link Redirect}'s to say. For one thread. Implements spec/route/route.md, "Redirects".
 */
public final class Redirects implements Forwarding {
    private static final CommandArguments ASKING = new CommandArguments(Protocol.Command.ASKING);

    /** One command on its way. */
    private static final class Errand implements Taker {
        private final CommandArguments arguments;
        private final Command entry;
        private final int slot;
        private final Taker taker;
        private Pool asked;
        private JedisDataException error; // Null: the node has failed.
        private int hops;
        private int tries;

        Errand(CommandArguments arguments, int slot, Taker taker) {
            this.arguments = arguments;
            this.entry = Commands.known(arguments);
            this.slot = slot;
            this.taker = taker;
        }

        @Override
        public boolean take(Object reply) {
            return taker.take(reply);
        }

        @Override
        public boolean hasBegun() {
            return taker.hasBegun();
        }

        @Override
        public void fail(OneHopException failure) {
            taker.fail(failure);
        }
    }

    /**
     * Where the commands of one slot go in this round: to the node of that name, or home, when they
     * have waited.
     */
    private record Heading(Redirect.Action action, String node, int waitMs) {}

    private final Snapshot snapshot; // That of the batch.
    private final Scripts scripts;
    private final Cluster cluster;
    private final BiConsumer<List<Lane>, Deadline> send;
    private final Map<String, OneHopException> failures = new LinkedHashMap<>();
    // In the order in which their nodes answered.
    private List<Errand> met = Collections.emptyList();
    private boolean hasArrived;

    /** {@code send}: has every lane done or failed by the deadline. */
    public Redirects(
            Snapshot snapshot,
            Scripts scripts,
            Cluster cluster,
            BiConsumer<List<Lane>, Deadline> send) {
        this.snapshot = snapshot;
        this.scripts = scripts;
        this.cluster = cluster;
        this.send = send;
    }

    @Override
    public void rescue(Pool failed, int slot, CommandArguments arguments, Taker taker) {
        note(failed, slot, arguments, taker, null);
        cluster.want(null);
    }

    @Override
    public void note(
            Pool asked,
            int slot,
            CommandArguments arguments,
            Taker taker,
            JedisDataException error) {
        Errand errand = taker instanceof Errand known ? known : new Errand(arguments, slot, taker);
        errand.asked = asked;
        errand.error = error;
        met = met.isEmpty() ? new ArrayList<>() : met;
        met.add(errand);
    }

    @Override
    public Map<String, OneHopException> failures() {
        return failures;
    }

    @Override
    public boolean hasArrived() {
        return hasArrived;
    }

    /**
     * What a redirect means on a connection that is held: the transaction is lost as a whole, and
     * never sent again. {@code null}: it is none, the error is the answer. Either way the map
     * learns what it says.
     */
    public static OneHopException ofHeld(
            JedisDataException answer, Pool asked, Snapshot snapshot, Cluster cluster) {
        PoolTopology map = map(asked, snapshot, cluster);
        Map<Integer, String> moved = new HashMap<>();
        for (Throwable cause : answer.getSuppressed()) { // Those of the commands of an EXECABORT.
            heed(decide(cause.getMessage(), asked, map, false), map, cluster, moved);
        }
        heed(decide(answer.getMessage(), asked, map, false), map, cluster, moved);
        cluster.moved(moved);
        Redirect next = decide(answer.getMessage(), asked, map, true);
        return next.action() == Redirect.Action.NONE
                ? null
                : Failure.redirected(
                        next.reason(), answer.getMessage(), asked.endpoint().nodeName());
    }

    private static Redirect decide(String error, Pool asked, PoolTopology map, boolean isHeld) {
        return Redirect.decide(
                map,
                new Redirect.Case(
                        error,
                        map.find(asked.endpoint().name()).index(),
                        0,
                        0,
                        -1,
                        isHeld,
                        true,
                        0));
    }

    /**
     * The newest map that has the node: what has begun goes on where the configuration or the map
     * lacks it by now.
     */
    private static PoolTopology map(Pool asked, Snapshot snapshot, Cluster cluster) {
        PoolTopology newest = cluster.topology();
        return newest.pool().cluster() && newest.find(asked.endpoint().name()) != null
                ? newest
                : snapshot.topology();
    }

    /**
     * Notes what the map is to learn of a redirect; the name of the node it names, if it does. It
     * is learnt of all redirects of a round together: each map is a new one, and they may be many.
     */
    private static String heed(
            Redirect next, PoolTopology map, Cluster cluster, Map<Integer, String> moved) {
        boolean isNamed =
                next.action() == Redirect.Action.FOLLOW || next.action() == Redirect.Action.ASK;
        String node = isNamed ? map.places().get(next.node()).name() : null;
        if (next.hasMoved()) {
            moved.put(next.slot(), node);
        }
        if (next.wantsRefresh()) {
            cluster.want(node);
        }
        return node;
    }

    /* ---- Rounds ---- */

    @Override
    public void follow(Deadline deadline) {
        List<Errand> waiting = new ArrayList<>();
        int waitMs = 0;
        while (!met.isEmpty() || !waiting.isEmpty()) {
            List<Errand> round = met;
            met = Collections.emptyList();
            Map<Integer, Heading> headings = new HashMap<>();
            List<Errand> going = new ArrayList<>();
            Map<Integer, String> moved = new HashMap<>();
            boolean isFresh = false;
            for (Errand errand : round) {
                PoolTopology map = map(errand.asked, snapshot, cluster);
                Redirect next = decide(errand, map, deadline, isFresh);
                if (next.action() == Redirect.Action.REFRESH) {
                    // Or it could not be had: no other command of the round waits for it.
                    isFresh = true;
                    cluster.refresh(deadline);
                    map = map(errand.asked, snapshot, cluster);
                    next = decide(errand, map, deadline, true);
                }
                if (heads(errand, next, map, headings, moved)) {
                    boolean waits = headings.get(errand.slot).action() == Redirect.Action.AGAIN;
                    (waits ? waiting : going).add(errand);
                }
            }
            cluster.moved(moved);
            waitMs = headings.values().stream().mapToInt(Heading::waitMs).reduce(waitMs, Math::max);
            if (going.isEmpty() && !waiting.isEmpty()) {
                pause(waitMs);
                going = waiting;
                waiting = new ArrayList<>();
                waitMs = 0;
            }
            send(going, headings, deadline);
        }
    }

    private static Redirect decide(
            Errand errand, PoolTopology map, Deadline deadline, boolean isFresh) {
        Node asked = map.find(errand.asked.endpoint().name());
        // It has left the map, or failed: the slot's master is another one.
        if (asked == null || errand.error == null) {
            return new Redirect(Redirect.Action.AGAIN, 0, errand.slot, false, true, 0, null);
        }
        long leftMs = deadline.isBounded() ? TimeUnit.NANOSECONDS.toMillis(deadline.waitNs()) : -1;
        return Redirect.decide(
                map,
                new Redirect.Case(
                        errand.error.getMessage(),
                        asked.index(),
                        errand.hops,
                        errand.tries,
                        leftMs,
                        false,
                        isFresh,
                        ThreadLocalRandom.current().nextInt()));
    }

    /** Whether it goes on: where the first of its slot goes; otherwise it has its end. */
    private boolean heads(
            Errand errand,
            Redirect next,
            PoolTopology map,
            Map<Integer, Heading> headings,
            Map<Integer, String> moved) {
        String node =
                heed(next, map, cluster, next.slot() == errand.slot ? moved : new HashMap<>());
        if (next.action() == Redirect.Action.NONE) {
            errand.take(errand.error);
            hasArrived = true;
            return false;
        }
        if (next.action() == Redirect.Action.GIVE_UP) {
            OneHopException failure =
                    Failure.redirected(
                            next.reason(),
                            errand.error.getMessage(),
                            errand.asked.endpoint().nodeName());
            failures.putIfAbsent(failure.getNode(), failure);
            errand.fail(failure);
            return false;
        }
        if (next.action() != Redirect.Action.AGAIN) {
            errand.asked.meter().redirected();
        }
        headings.putIfAbsent(errand.slot, new Heading(next.action(), node, next.waitMs()));
        return true;
    }

    private void send(List<Errand> going, Map<Integer, Heading> headings, Deadline deadline) {
        Snapshot newest = cluster.snapshot();
        Snapshot current = newest.pool().cluster() ? newest : snapshot;
        Lanes lanes = Lanes.ofSentOn(current, this);
        for (Errand errand : going) {
            Heading heading = headings.get(errand.slot);
            Node named =
                    heading == null || heading.node() == null
                            ? null
                            : current.topology().find(heading.node());
            boolean isNamed = named != null;
            int node = isNamed ? named.index() : current.keys().nodeAt(errand.slot);
            errand.hops += isNamed ? 1 : 0;
            errand.tries += isNamed ? 0 : 1;
            Lane lane = lanes.ofNode(node);
            if (errand.entry != null) {
                Prelude.append(errand.entry, errand.arguments, scripts, lane);
            } else {
                lane.closeAfter(); // What it has done to the connection nobody knows.
            }
            if (isNamed && heading.action() == Redirect.Action.ASK) {
                lane.append(ASKING, true, Prelude.NOBODY);
            }
            lane.at(errand.slot)
                    .append(
                            errand.arguments,
                            errand.entry != null && errand.entry.isRetryable(),
                            errand);
        }
        send.accept(lanes.used(), deadline);
        for (Lane lane : lanes.used()) {
            hasArrived |= lane.hasArrived();
            if (lane.failure() != null) {
                failures.put(lane.pool().endpoint().name(), lane.failure());
            }
        }
    }

    /** An interrupt ends it; what is sent next will say so. */
    private static void pause(int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
