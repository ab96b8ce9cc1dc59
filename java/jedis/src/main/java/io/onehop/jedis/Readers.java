package io.onehop.jedis;

import io.onehop.core.Node;
import io.onehop.core.ReadFrom;
import io.onehop.core.Role;
import io.onehop.core.Topology;
import io.onehop.core.command.Command;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/**
 * Which node of a Redis Cluster answers a command that only reads, if the server pool says {@code read_from}.
 *
 * <p>What a replica answers may be older than what its master has just acknowledged: whoever sets {@code read_from} has
 * said that this is fine. Writes, transactions and all that waits are their master's. Immutable; any thread. Implements
 * spec/config, {@code read_from}.
 */
final class Readers {
    private final Topology topology;
    private final ReadFrom from;

    Readers(Topology topology) {
        this.topology = topology;
        this.from = topology.pool().readFrom();
    }

    /** Whether a command may be answered elsewhere. */
    boolean mayAnswer(Command command) {
        return from != ReadFrom.MASTER && !command.isWrite() && command.isRetryable() && command.blocking() == null
                && Scripts.isNoScript(command);
    }

    /** In the place of a master who is to answer for it, by chance where there are several; -1: nobody may. */
    int of(int master) {
        List<Node> near = from == ReadFrom.SAME_ZONE ? shard(master).filter(Node::near).toList() : List.of();
        List<Node> some = !near.isEmpty() ? near
                : shard(master).filter(node -> node.role() == Role.REPLICA).toList();
        if (some.isEmpty()) {
            return from == ReadFrom.REPLICA ? -1 : master;
        }
        return some.get(ThreadLocalRandom.current().nextInt(some.size())).index();
    }

    /** A master and its replicas, but those that are failing. */
    private Stream<Node> shard(int master) {
        return topology.nodes().stream().filter(node -> node.index() == master
                || node.role() == Role.REPLICA && node.master() == master && !node.failing());
    }

    /** Whether a read whose replica has failed is asked of the master. */
    boolean mayAskMaster() {
        return from != ReadFrom.REPLICA;
    }
}
