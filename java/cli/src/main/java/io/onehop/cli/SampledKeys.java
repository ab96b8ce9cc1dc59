package io.onehop.cli;

import io.onehop.core.Node;
import io.onehop.jedis.OneHopException;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.Protocol.Command;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * A sample of the keys of each node, found by SCAN, perhaps with their MEMORY USAGE.
 *
 * <p>SCAN walks in the order of hashes, so its first keys are a fair sample. If a node has ten
 * times as many keys as the sample, each key of the sample stands for ten keys.
 */
final class SampledKeys {
    private static final String STEP = "100"; // COUNT of one SCAN.

    private final Screen screen;
    private final AskedNodes nodes;
    private final long sample; // Keys of each node; 0: all.
    private final boolean hasBytes;
    private final Pace pace;

    SampledKeys(Screen screen, AskedNodes nodes, long sample, boolean hasBytes, Pace pace) {
        this.screen = screen;
        this.nodes = nodes;
        this.sample = sample;
        this.hasBytes = hasBytes;
        this.pace = pace;
    }

    /** Reads keys of all nodes. Refuses if one of the nodes fails. */
    void read(List<Node> asked, Consumer<SeenKey> taker) throws Refusal {
        Map<Node, Long> sizes = new LinkedHashMap<>();
        for (Node node : asked) {
            sizes.put(node, nodes.number(node, Command.DBSIZE));
        }
        try (Progress progress = progress(sizes)) {
            for (Node node : asked) {
                read(node, Objects.requireNonNull(sizes.get(node)), progress, taker);
            }
        }
    }

    /** Reads keys of all nodes, and notes the nodes that fail. Refuses only if all of them fail. */
    void read(List<Node> asked, UnreadNodes unread, Consumer<SeenKey> taker) throws Refusal {
        Map<Node, Long> sizes = new LinkedHashMap<>();
        for (Node node : asked) {
            unread.attempt(node, () -> sizes.put(node, nodes.number(node, Command.DBSIZE)));
        }
        try (Progress progress = progress(sizes)) {
            sizes.forEach(
                    (node, size) -> unread.attempt(node, () -> read(node, size, progress, taker)));
        }
        unread.requireSome(asked);
    }

    private Progress progress(Map<Node, Long> sizes) {
        long total = sizes.values().stream().mapToLong(this::wanted).sum();
        return new Progress(screen, "keys sampled", total);
    }

    private void read(Node node, long size, Progress progress, Consumer<SeenKey> taker)
            throws Refusal {
        double count = (double) size / Math.max(1, wanted(size));
        long[] seen = {0};
        try {
            walk(
                    node,
                    wanted(size),
                    key -> {
                        progress.step(1);
                        Double bytes = hasBytes ? bytesOf(node, key) : 0.0;
                        seen[0]++;
                        if (bytes != null) { // Null if the key is gone.
                            taker.accept(new SeenKey(key, count, bytes, node));
                        }
                    });
        } catch (OneHopException lost) {
            String read = Screen.count(seen[0]) + " of " + Screen.count(wanted(size)) + ", then ";
            throw new Refusal(ExitStatus.NO_ANSWER, read + lost.getMessage());
        }
    }

    private long wanted(long size) {
        return sample == 0 ? size : Math.min(sample, size);
    }

    /** Hands over at most {@code most} keys of a node. */
    void walk(Node node, long most, Visitor visitor) throws Refusal {
        String cursor = "0";
        long left = most;
        do {
            pace.await();
            List<?> reply = nodes.ask(node, List.class, Command.SCAN, cursor, "COUNT", STEP);
            List<byte[]> keys = new ArrayList<>();
            cursor = understood(node, reply, keys);
            for (int i = 0; i < keys.size() && left > 0; i++, left--) {
                visitor.visit(keys.get(i));
            }
        } while (left > 0 && !cursor.equals("0"));
    }

    /** Returns the cursor of a reply to SCAN, and adds the keys of the reply to the list. */
    static String understood(Node node, @Nullable List<?> reply, List<byte[]> keys) throws Refusal {
        if (reply != null
                && reply.size() == 2
                && reply.get(0) instanceof byte[] cursor
                && reply.get(1) instanceof List<?> found
                && found.stream().allMatch(each -> each instanceof byte[])) {
            found.forEach(each -> keys.add((byte[]) each));
            return new String(cursor, StandardCharsets.US_ASCII);
        }
        throw new Refusal(
                ExitStatus.NO_ANSWER, "node " + node.name() + ": its reply to SCAN is malformed");
    }

    /** The memory of a key; {@code null} if it is gone. */
    @Nullable Double bytesOf(Node node, byte[] key) throws Refusal {
        pace.await();
        Long bytes = nodes.askOfKey(node, Long.class, Command.MEMORY, "USAGE", key);
        return bytes == null ? null : bytes.doubleValue();
    }

    /** Is called with each key. */
    interface Visitor {
        void visit(byte[] key) throws Refusal;
    }
}
