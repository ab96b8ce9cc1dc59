package io.onehop.jedis.internal.nodes;

import io.onehop.core.ErrorKind;
import io.onehop.core.Node;
import io.onehop.core.base.Clock;
import io.onehop.core.base.Message;
import io.onehop.core.base.Timings;
import io.onehop.core.cluster.SentinelAnswer;
import io.onehop.core.cluster.SentinelVerdict;
import io.onehop.core.topology.ConnectionName;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.Server;
import io.onehop.core.topology.Server.Replica;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.failure.Failure.RefreshFailure;
import io.onehop.jedis.internal.failure.Shown;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.snapshot.Snapshot;
import io.onehop.jedis.internal.snapshot.Snapshots;
import io.onehop.jedis.internal.tls.ClientTls;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * The masters of a server pool as its Sentinels name them, and how a new address is adopted.
 *
 * <pre>
 *     servers (configuration) ─► the first question ─► addresses ─► snapshot ─► calls from then on
 *                                                          ▲
 *              a question to all Sentinels: once a second, ┘ soon after a failure or READONLY, and
 *              when one of them has announced something (SentinelNews)
 * </pre>
 *
 * <p>Placement goes by the names of the servers, so no key moves. One daemon thread of the client
 * asks, another one listens. The first calls wait for the answers, and so do calls whose master has
 * failed. The id of a node is the epoch of its address. So after a failover no earlier connection
 * is used. Any thread. Implements spec/topology/sentinel.md.
 */
public final class Sentinels extends Refresher {
    private static final System.Logger LOG = System.getLogger("io.onehop");

    /* The id of a node whose address no Sentinel has named. */
    private static final String NOT_NAMED = "-";

    private final Snapshots snapshots;
    /* The fields from here on are only for the thread. */
    private final Map<String, WatchedMaster> masters = new HashMap<>(); // By name.
    private @Nullable ServerPool asked; // The server pool of these Sentinels.
    private List<Pool> sentinels = List.of();
    private @Nullable SentinelNews news; // Listens to these Sentinels.
    private boolean isSilent;

    public Sentinels(Snapshots snapshots) {
        super("onehop-sentinels", Timings.SENTINELS_SOON_MS, Timings.SENTINELS_EVERY_MS);
        this.snapshots = snapshots;
    }

    public Snapshot snapshot() {
        return snapshots.newest();
    }

    public boolean isClosed() {
        return snapshots.isClosed();
    }

    /** Asks soon, because a master may have another address. */
    public void requestQuestion() {
        request(() -> {});
    }

    /**
     * Waits for the first answers, for half of the time of a call. If there is no answer by then,
     * the addresses of the configuration are used, and the nodes have the other half of the time.
     */
    public void bootstrap() {
        awaitRefresh(Deadline.in(questionMs(snapshot().pool())));
        snapshots.adopt(Sentinels::mapped);
    }

    private static PoolTopology mapped(PoolTopology before) {
        if (before.nodes().stream().anyMatch(node -> !node.id().isEmpty())) {
            return before;
        }
        Map<String, String> ids = new HashMap<>();
        before.nodes().forEach(node -> ids.put(node.name(), NOT_NAMED));
        return before.withMasters(before.pool().servers(), ids, List.of());
    }

    /* ---- The thread ---- */

    @Override
    @Nullable RefreshFailure refresh(boolean isAwaited) throws InterruptedException {
        Snapshot snapshot = snapshot();
        ServerPool pool = snapshot.pool();
        if (pool.sentinels().isEmpty()) { // The configuration has changed.
            closeConnections();
            return null;
        }
        connectTo(pool, snapshot.tls().ofSentinels());
        List<String> names = pool.servers().stream().map(Server::name).toList();
        List<WatchedMaster> asked =
                names.stream()
                        .map(name -> masters.computeIfAbsent(name, WatchedMaster::new))
                        .toList();
        List<List<SentinelQuestion.Said>> said =
                SentinelQuestion.ask(
                        sentinels,
                        names,
                        pool.asksReplicas(),
                        answers ->
                                IntStream.range(0, asked.size())
                                        .allMatch(i -> asked.get(i).isCertain(answers.get(i))),
                        questionMs(pool),
                        isAwaited);
        RefreshFailure problem = null;
        for (int i = 0; i < asked.size(); i++) {
            if (!asked.get(i).judge(said.get(i), Clock.nowNs()) && problem == null) {
                problem = silence(pool, names.get(i), said.get(i).get(0).master());
            }
        }
        snapshots.adopt(this::adopted);
        return problem;
    }

    private @Nullable SentinelVerdict known(String name) {
        WatchedMaster master = masters.get(name);
        return master == null ? null : master.known();
    }

    private static int questionMs(ServerPool pool) {
        return pool.timeoutMs() == 0
                ? Timings.REFRESH_MS_DEFAULT
                : Math.max(1, pool.timeoutMs() / 2);
    }

    /**
     * The same topology with the known addresses. It may be of any configuration with these names.
     */
    private PoolTopology adopted(PoolTopology before) {
        if (before.pool().sentinels().isEmpty()) {
            return before;
        }
        List<Server> moved = new ArrayList<>();
        Map<String, String> ids = new HashMap<>();
        boolean isSame = true;
        for (Server server : before.pool().servers()) {
            SentinelVerdict master = known(server.name());
            Server now = master == null ? server : at(server, master.address());
            String id = master == null ? NOT_NAMED : String.valueOf(master.epoch());
            Node node = before.find(server.name());
            boolean isHere = now.address().equals(server.address());
            isSame &= isHere && node != null && node.id().equals(id);
            if (!isHere) {
                LOG.log(
                        Level.INFO,
                        "master "
                                + Shown.of(server.name())
                                + " of server pool "
                                + Shown.of(before.pool().name())
                                + " is at "
                                + Shown.of(now.address())
                                + " now");
            }
            moved.add(now);
            ids.put(server.name(), id);
        }
        PoolTopology after = before.withMasters(moved, ids, replicasFor(before.pool()));
        return isSame && after.nodes().equals(before.nodes()) ? before : after;
    }

    private List<Replica> replicasFor(ServerPool pool) {
        return pool.asksReplicas()
                ? pool.servers().stream()
                        .map(server -> masters.get(server.name()))
                        .filter(Objects::nonNull)
                        .flatMap(master -> master.replicas().stream())
                        .toList()
                : List.of();
    }

    private static Server at(Server server, String address) {
        int colon = address.lastIndexOf(':');
        return at(
                server,
                address.substring(0, colon),
                Integer.parseInt(address.substring(colon + 1)));
    }

    private static Server at(Server server, @Nullable String host, int port) {
        return new Server(
                server.name(),
                host,
                port,
                null,
                server.weight(),
                server.line(),
                server.isNamed(),
                server.slots());
    }

    /**
     * The topology of a changed configuration. A master whose name was known before keeps its
     * address and its replicas.
     */
    public static PoolTopology of(ServerPool pool, PoolTopology before) {
        List<Server> moved = new ArrayList<>();
        Map<String, String> ids = new HashMap<>();
        for (Server server : pool.servers()) {
            Node known = before.pool().sentinels().isEmpty() ? null : before.find(server.name());
            if (known == null || known.id().equals(NOT_NAMED)) {
                moved.add(server);
            } else {
                moved.add(at(server, known.host(), known.port()));
                ids.put(server.name(), known.id());
            }
        }
        boolean hasReplicas = pool.asksReplicas() && !before.pool().sentinels().isEmpty();
        return PoolTopology.of(pool)
                .withMasters(moved, ids, hasReplicas ? before.pool().replicas() : List.of());
    }

    /* ---- Connections to the Sentinels ---- */

    private void connectTo(ServerPool pool, ClientTls tls) {
        ServerPool before = asked;
        String name = ConnectionName.of(pool);
        if (before != null && before.asksSentinelsLike(pool) && before.reachesNodesLike(pool)) {
            sentinels.forEach(each -> each.named(name));
            if (news == null || news.isOver()) { // Its thread has ended in an Error.
                listen(pool);
            }
            return;
        }
        closeConnections();
        masters.values().forEach(master -> master.doubt(Clock.nowNs()));
        ServerPool theirs = pool.ofSentinels();
        sentinels = NodeQuestion.pools(PoolTopology.of(theirs).nodes(), theirs, tls, name);
        asked = pool;
        listen(pool);
    }

    private void listen(ServerPool pool) {
        news = new SentinelNews(sentinels, questionMs(pool), this::requestQuestion);
        news.listen();
    }

    private void closeConnections() {
        if (news != null) {
            news.close();
            news = null;
        }
        List<Pool> left = sentinels;
        sentinels = List.of();
        asked = null;
        left.forEach(Pool::close);
    }

    @Override
    void ended() {
        closeConnections();
    }

    /* ---- The log ---- */

    private RefreshFailure silence(ServerPool pool, String name, SentinelAnswer first) {
        Message why = first.reason() == null ? Message.SENTINEL_SILENT : first.reason();
        String address = known(name) != null ? "so far" : "in the configuration";
        return new RefreshFailure(
                "no Sentinel of server pool "
                        + Shown.of(pool.name())
                        + " names master "
                        + Shown.of(name)
                        + " ("
                        + why.what()
                        + "): its address "
                        + address
                        + " stays in use",
                ErrorKind.NODE_DOWN);
    }

    @Override
    RefreshFailure soFar() {
        return new RefreshFailure(Message.SENTINEL_SILENT.what(), ErrorKind.DEADLINE_EXCEEDED);
    }

    @Override
    void tell(@Nullable RefreshFailure problem) {
        if (problem != null && !isSilent) {
            LOG.log(Level.WARNING, problem.reason());
        } else if (problem == null && isSilent) {
            LOG.log(
                    Level.INFO,
                    "the Sentinels of server pool "
                            + Shown.of(snapshot().pool().name())
                            + " name all masters again");
        }
        isSilent = problem != null;
    }
}
