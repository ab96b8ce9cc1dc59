package io.onehop.cli;

import io.onehop.cli.Finding.Level;
import io.onehop.core.Node;
import io.onehop.core.Role;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds what is wrong with a node, as its INFO shows it. Pure. In: a reading. Out: findings, with
 * what to do about them.
 */
final class NodeExamination {
    private static final int TRIED_SINCE = 7; // The major version of redis.
    private static final double FULL = 0.9; // More of maxmemory is too much.
    private static final double CROWDED = 0.8; // More of maxclients is too much.
    private static final double FRAGMENTED = 1.5;
    private static final long FRAGMENTED_BYTES_MIN = 100L << 20;

    private final Node node;
    private final NodeInfo info;
    private final List<Finding> found = new ArrayList<>();

    private NodeExamination(Node node, NodeInfo info) {
        this.node = node;
        this.info = info;
    }

    static List<Finding> of(NodeReading reading) {
        if (reading.info() == null) {
            String name = Screen.plain(reading.node().name());
            Level level = reading.isThere() ? Level.NOTE : Level.ERROR;
            return List.of(new Finding(level, name, reading.failure(), ""));
        }
        NodeExamination examination = new NodeExamination(reading.node(), reading.info());
        examination.lookAtServer();
        examination.lookAtRole();
        examination.lookAtMemory();
        examination.lookAtDisk();
        examination.lookAtConnections();
        return examination.found;
    }

    private void add(Level level, String what, String advice) {
        found.add(new Finding(level, Screen.plain(node.name()), Screen.plain(what), advice));
    }

    private void lookAtServer() {
        if (info.version().isEmpty()) {
            add(Level.NOTE, "is not redis: nothing was checked but that it answers", "");
        } else if (info.redisMajor() < TRIED_SINCE) {
            add(
                    Level.NOTE,
                    "has " + info.version() + ", and OneHop is tried with " + TRIED_SINCE,
                    "update it");
        }
        if (info.number("loading") == 1) {
            add(Level.ERROR, "is loading its file and answers nothing yet", "wait");
        }
    }

    private void lookAtRole() {
        String master = info.text("master_host") + ":" + info.text("master_port");
        if (info.isReplica() && node.role() != Role.REPLICA) {
            add(
                    Level.ERROR,
                    "is a replica of " + master + ", so it refuses writes",
                    "name its master in the file, or promote it");
        } else if (info.has("role") && !info.isReplica() && node.role() == Role.REPLICA) {
            add(Level.ERROR, "is a replica in the file and follows nobody", "REPLICAOF its master");
        }
        if (info.isReplica() && !info.text("master_link_status").equals("up")) {
            add(Level.ERROR, "has lost its master " + master, "look at its log");
        }
    }

    private void lookAtMemory() {
        long limit = info.number("maxmemory");
        long used = info.number("used_memory");
        String policy = info.text("maxmemory_policy");
        if (info.has("maxmemory") && limit == 0) {
            add(
                    Level.WARNING,
                    "has no maxmemory: it grows until the kernel ends it",
                    "set maxmemory below what the machine has");
        } else if (limit > 0 && used > FULL * limit && policy.equals("noeviction")) {
            add(
                    Level.ERROR,
                    "uses "
                            + Screen.percent((double) used / limit)
                            + " of its maxmemory and evicts"
                            + " nothing: soon writes fail",
                    "raise maxmemory, delete keys, or add a node");
        }
        if (info.number("evicted_keys") > 0) {
            String evicted = Screen.count(info.number("evicted_keys"));
            add(Level.NOTE, "has evicted " + evicted + " keys (" + policy + ")", "");
        }
        boolean isImmortal = info.keys() > 0 && info.expiring() == 0;
        if (limit > 0 && policy.startsWith("volatile") && isImmortal) {
            add(
                    Level.WARNING,
                    "evicts only keys that expire (" + policy + "), and none does",
                    "allkeys-lru, or keys with EXPIRE");
        }
        if (fragmentation() > FRAGMENTED && used > FRAGMENTED_BYTES_MIN) {
            add(
                    Level.NOTE,
                    "takes " + info.text("mem_fragmentation_ratio") + " times the memory it uses",
                    "activedefrag yes");
        }
    }

    private double fragmentation() {
        String ratio = info.text("mem_fragmentation_ratio");
        return ratio.matches("[0-9]{1,9}(\\.[0-9]{1,9})?") ? Double.parseDouble(ratio) : 0;
    }

    private void lookAtDisk() {
        if (info.text("rdb_last_bgsave_status").equals("err")) {
            add(Level.ERROR, "could not save its file", "look at its log and its disk");
        }
        if (info.text("aof_last_write_status").equals("err")
                || info.text("aof_last_bgrewrite_status").equals("err")) {
            add(Level.ERROR, "could not write its append-only file", "look at its log and disk");
        }
        boolean isSaved = info.number("aof_enabled") == 1 || info.number("rdb_saves") > 0;
        boolean isCopied = info.number("connected_slaves") > 0 || info.isReplica();
        if (info.has("aof_enabled") && !isSaved && !isCopied) {
            add(
                    Level.NOTE,
                    "has saved nothing since its start and has no replica",
                    "fine for a cache; otherwise save, appendonly, or a replica");
        }
    }

    private void lookAtConnections() {
        long refused = info.number("rejected_connections");
        long most = info.number("maxclients");
        long now = info.number("connected_clients");
        if (refused > 0) {
            add(
                    Level.WARNING,
                    "has refused " + Screen.count(refused) + " connections since its start",
                    "raise maxclients, or lower pool_size");
        }
        if (most > 0 && now > CROWDED * most) {
            add(
                    Level.WARNING,
                    "has " + now + " connections of at most " + most,
                    "raise maxclients, or lower pool_size");
        }
    }
}
