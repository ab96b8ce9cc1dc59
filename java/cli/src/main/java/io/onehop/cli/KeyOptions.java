package io.onehop.cli;

import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.ServerPool;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.function.Consumer;

/** Which keys a command looks at. */
final class KeyOptions {
    @Option(
            names = {"-k", "--keys"},
            paramLabel = "FILE",
            description =
                    "Keys from this file, one a line; - is stdin. Without it, keys are sampled from"
                            + " the nodes by SCAN.")
    @Nullable Path keys;

    @Option(
            names = "--bytes",
            negatable = true,
            description =
                    "Count the memory of keys, too. Each line of a file then has a key, a tab and a"
                            + " number of bytes. For a sample MEMORY USAGE is asked, unless"
                            + " --no-bytes.")
    @Nullable Boolean bytes;

    @Mixin SampleOptions sampled = new SampleOptions();

    void check() throws Refusal {
        sampled.check();
    }

    /** True if keys come with their memory. */
    boolean hasBytes() {
        return bytes == null ? keys == null : bytes;
    }

    /**
     * Hands over the keys of the file. If no file is named, hands over keys of the pool's nodes.
     *
     * @param topology the topology of the pool
     * @param unread gets the nodes whose keys are not all read
     * @return where the keys come from, as a person reads it
     */
    String read(
            Screen screen,
            ConfigFile file,
            ServerPool pool,
            PoolTopology topology,
            UnreadNodes unread,
            Consumer<SeenKey> taker)
            throws Refusal {
        if (keys != null) {
            new KeyFile(screen, keys, hasBytes()).read(taker);
            return keys.toString().equals("-") ? "stdin" : keys.toString();
        }
        try (AskedNodes nodes = new AskedNodes(file, pool)) {
            sampled.of(screen, nodes, hasBytes())
                    .read(AskedNodes.withKeys(topology), unread, taker);
        }
        return sampled.sample == 0 ? "all nodes" : "a sample of each node";
    }
}
