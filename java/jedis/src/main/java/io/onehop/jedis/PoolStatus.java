package io.onehop.jedis;

import io.onehop.core.Node;
import io.onehop.core.Role;
import io.onehop.core.health.Health;
import io.onehop.core.health.Latency;
import io.onehop.core.topology.PoolTopology;
import io.onehop.jedis.NodeStatus.State;
import io.onehop.jedis.internal.pool.NodeHealth;
import io.onehop.jedis.internal.pool.NodeMeter;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.snapshot.Snapshot;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * What a client knows about its server pool at one moment, for status pages, logs and alarms.
 * Immutable. Implements spec/meter.
 *
 * @param pool the server pool's name
 * @param generation how often a configuration was adopted, from 1
 * @param fingerprint if it is equal in two processes, they place keys alike (spec/topology)
 * @param config the result of the last check of the configuration
 * @param isClusterDown true if the nodes say that their Redis Cluster serves nothing ({@code
 *     cluster_state:fail})
 * @param nodes all nodes by index, also ejected ones
 */
public record PoolStatus(
        String pool,
        long generation,
        String fingerprint,
        ConfigStatus config,
        boolean isClusterDown,
        List<NodeStatus> nodes) {

    /** {@code isOver}: the client is closed. */
    static PoolStatus of(
            Snapshot snapshot, ConfigStatus config, boolean isClusterDown, boolean isOver) {
        PoolTopology topology = snapshot.topology();
        double[] shares = topology.shares();
        long nowMs = NodeHealth.nowMs();
        return new PoolStatus(
                snapshot.pool().name(),
                snapshot.generation(),
                topology.fingerprint(),
                config,
                isClusterDown,
                topology.nodes().stream()
                        .map(
                                node ->
                                        status(
                                                node,
                                                topology,
                                                snapshot.pools()[node.index()],
                                                shares[node.index()],
                                                nowMs,
                                                isOver))
                        .toList());
    }

    private static NodeStatus status(
            Node node, PoolTopology topology, Pool pool, double share, long nowMs, boolean isOver) {
        NodeMeter meter = pool.meter();
        long[] latency = meter.latency();
        long restsMs = Math.max(0, Health.until(pool.health().state()) - nowMs);
        return new NodeStatus(
                node.name(),
                node.address(),
                node.weight(),
                node.role(),
                node.role() == Role.REPLICA ? topology.byIndex().get(node.master()).name() : null,
                share,
                isOver ? State.CLOSED : state(pool.health(), nowMs),
                Duration.ofMillis(restsMs),
                Health.failures(pool.health().state()),
                pool.health().reason(),
                pool.getNumActive(),
                pool.getNumIdle(),
                pool.endpoint().poolSize(),
                meter.since(),
                meter.lastAnswered(),
                meter.calls(),
                meter.errors(),
                meter.recentErrors(nowMs),
                meter.redirects(),
                meter.leases(),
                meter.waits(),
                meter.connects(),
                meter.bytesSent(),
                meter.bytesReceived(),
                percentile(latency, 500),
                percentile(latency, 990));
    }

    private static State state(NodeHealth health, long nowMs) {
        if (health.isUp()) {
            return State.UP;
        }
        return !health.ejects()
                ? State.RESTING
                : health.isResting(nowMs) ? State.EJECTED : State.RETURNED;
    }

    private static Duration percentile(long[] latency, int thousandths) {
        return Duration.of(Latency.percentileUs(latency, thousandths), ChronoUnit.MICROS);
    }

    /**
     * True if every node is up and the client is open. Use it for an alarm, not for a probe: a node
     * that is down costs only its own keys, but an instance that is taken out of service serves
     * none. For probes there is {@link #isUsable}.
     *
     * @return false if a node rests, is ejected or has returned, the Redis Cluster is down, or the
     *     client is closed
     */
    public boolean isWell() {
        return !isClusterDown && nodes.stream().allMatch(node -> node.state() == State.UP);
    }

    /**
     * True if the client is open and would ask at least one node now: a node that is up, or a node
     * whose rest is over and that the next call probes. Use it for a readiness probe. Nodes are
     * asked only by calls, so an instance that waited for a node to be up before it took calls
     * would wait for ever. The client itself finds out when a Redis Cluster is up again.
     *
     * @return false if no node can be asked now, or the Redis Cluster is down
     */
    public boolean isUsable() {
        return !isClusterDown
                && nodes.stream()
                        .anyMatch(node -> node.state() != State.CLOSED && node.restsFor().isZero());
    }
}
