package io.onehop.cli;

import io.onehop.core.topology.ServerPool;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
                    "So many bytes a second leave each old node; 0 is no limit. Default:"
                            + " ${DEFAULT-VALUE}.")
    String rate = "";

    @Option(
            names = "--block",
            paramLabel = "MS",
            defaultValue = "10",
            description =
                    "So many milliseconds one MIGRATE may block a node; only a single large key"
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

    /** The server pool. It has {@code moving_from}. */
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
}
