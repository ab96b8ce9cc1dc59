package io.onehop.cli;

import io.onehop.core.Node;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.ServerPool;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Which server pool a move is about, and how fast it may be. */
final class MoveOptions {
    private static final Pattern BYTES = Pattern.compile("([0-9]{1,9})(?i:([KMG]?)(i?B)?)");
    private static final String UNITS = "KMGkmg";
    private static final int BLOCK_MS_MAX = 10_000;

    @Mixin ServerPoolOptions which = new ServerPoolOptions();

    @Parameters(
            arity = "0..1",
            paramLabel = "POOL",
            description = "The server pool, as with --pool.")
    @Nullable String pool;

    @Option(
            names = "--rate",
            paramLabel = "BYTES",
            defaultValue = "10MiB",
            description =
                    "At most so many bytes a second leave each old node; 0 is no limit. Default:"
                            + " ${DEFAULT-VALUE}.")
    String rate = "";

    @Option(
            names = "--block",
            paramLabel = "MS",
            defaultValue = "10",
            description =
                    "How many milliseconds one MIGRATE may block a node; only a single large key"
                            + " takes longer. Default: ${DEFAULT-VALUE}.")
    int blockMs;

    void check() throws Refusal {
        bytesPerSecond();
        if (blockMs < 1 || blockMs > BLOCK_MS_MAX) {
            throw Refusal.ofUsage(
                    "--block is " + blockMs + ", but must be from 1 to " + BLOCK_MS_MAX);
        }
    }

    double bytesPerSecond() throws Refusal {
        Matcher found = BYTES.matcher(rate);
        if (!found.matches()) {
            throw Refusal.ofUsage(
                    "--rate is " + rate + ", but must be bytes, such as 500K, 10MiB or 0");
        }
        int unit = found.group(2).isEmpty() ? -1 : UNITS.indexOf(found.group(2)) % 3;
        double bytes = Double.parseDouble(found.group(1)) * Math.pow(1024, unit + 1);
        return bytes == 0 ? Pace.UNLIMITED : bytes;
    }

    /** The server pool, which has {@code moving_from}. */
    ServerPool of(ConfigFile file) throws Refusal {
        which.pool = pool == null ? which.pool : pool;
        ServerPool found = which.of(file);
        if (found.movingFrom() == null) {
            throw Refusal.ofUsage(
                    "server pool "
                            + found.name()
                            + " has no moving_from, so no keys move (docs/growing.md)");
        }
        return found;
    }

    /**
     * Finds the other server pools of the file that have the address of an old owner and use the
     * same database there. By both rings of this server pool, keys of the other pool may belong
     * elsewhere, so a move would take them. A pool that places all keys as this one does is left
     * out, because it has the same keys.
     */
    static List<Finding> sharers(ConfigFile file, ServerPool pool) {
        PoolTopology topology = PoolTopology.of(pool);
        List<Finding> sharers = new ArrayList<>();
        for (ServerPool other : file.config().pools()) {
            if (!other.redis() || placesAlike(other, topology)) {
                continue;
            }
            for (int each : topology.oldOwners()) {
                Node node = topology.byIndex().get(each);
                if (keepsKeys(other, node, database(pool, node))) {
                    sharers.add(sharer(pool, other, node));
                }
            }
        }
        return sharers;
    }

    private static boolean placesAlike(ServerPool other, PoolTopology topology) {
        return other.name().equals(topology.pool().name())
                || PoolTopology.of(other).fingerprint().equals(topology.fingerprint());
    }

    private static boolean keepsKeys(ServerPool other, Node node, int database) {
        ServerPool old = other.movingFrom();
        return database(other, node) == database
                && Stream.concat(
                                other.servers().stream(),
                                old == null ? Stream.empty() : old.servers().stream())
                        .anyMatch(each -> each.address().equals(node.address()));
    }

    private static int database(ServerPool pool, Node node) {
        return node.path() == null && pool.redisDb() > 0 ? pool.redisDb() : pool.database();
    }

    private static Finding sharer(ServerPool pool, ServerPool other, Node node) {
        String what =
                "server pool "
                        + other.name()
                        + " may have keys in database "
                        + database(pool, node)
                        + " of it, too: they cannot be told from those of "
                        + pool.name()
                        + ", and would be moved away";
        return new Finding(
                Finding.Level.ERROR, Screen.plain(node.name()), what, "move refuses this");
    }
}
