package io.onehop.cli;

import io.onehop.core.Node;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.ServerPool;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Counts the keys that another configuration seeks elsewhere. */
@Command(
        name = "diff",
        description = {
            "Show which keys would move with another configuration.",
            "A key moves if its node has another address, or with Sentinels another name.",
            "Keys that move are a finding."
        })
final class DiffCommand extends OperatorCommand {

    /** What moves between two nodes. */
    private static final class Move {
        private double keys;
        private double bytes;

        void add(SeenKey key) {
            keys += key.count();
            bytes += key.count() * key.bytes();
        }
    }

    /** A pair of nodes, by their indexes. */
    private record Pair(int from, int to) implements Comparable<Pair> {
        @Override
        public int compareTo(Pair other) {
            return from != other.from
                    ? Integer.compare(from, other.from)
                    : Integer.compare(to, other.to);
        }
    }

    @Parameters(index = "0", paramLabel = "OLD", description = "The configuration in use.")
    Path old = Path.of("");

    @Parameters(index = "1", paramLabel = "NEW", description = "The next configuration.")
    Path next = Path.of("");

    @Option(
            names = {"-p", "--pool"},
            paramLabel = "POOL",
            defaultValue = "${env:ONEHOP_POOL}",
            description = "The server pool, if the files have several.")
    @Nullable String pool;

    @Option(
            names = "--new-pool",
            paramLabel = "POOL",
            description = "Its name in NEW, if that is another one.")
    @Nullable String newPool;

    @Mixin KeyOptions options = new KeyOptions();

    private final Move all = new Move();
    private final Move moved = new Move();
    private final Map<Pair, Move> moves = new TreeMap<>();

    DiffCommand(Screen screen) {
        super(screen);
    }

    @Override
    public Integer call() throws Refusal {
        options.check();
        ConfigFile oldFile = ConfigFile.read(old);
        ConfigFile newFile = ConfigFile.read(next);
        String name = pool == null || pool.isEmpty() ? null : pool;
        ServerPool oldPool = oldFile.pool(name);
        ServerPool nextPool = newFile.pool(newPool == null ? name : newPool);
        PoolTopology after = AskedNodes.topologyOf(newFile, nextPool);
        PoolTopology before = AskedNodes.topologyOf(oldFile, oldPool);
        boolean[][] isSame = isSame(before, after);
        String source =
                options.read(
                        screen, oldFile, oldPool, before, key -> count(before, after, isSame, key));
        if (isJson) {
            screen.json(json(before, after));
        } else {
            print(before, after, source);
        }
        return moves.isEmpty() ? ExitStatus.FINE : ExitStatus.FINDINGS;
    }

    /** For each pair of nodes whether keys stay where they are. */
    private static boolean[][] isSame(PoolTopology before, PoolTopology after) {
        boolean isWatched =
                !before.pool().sentinels().isEmpty() && !after.pool().sentinels().isEmpty();
        boolean[][] isSame = new boolean[before.byIndex().size()][after.byIndex().size()];
        for (Node from : before.nodes()) {
            for (Node to : after.nodes()) {
                isSame[from.index()][to.index()] =
                        isWatched
                                ? from.name().equals(to.name())
                                : from.address().equals(to.address());
            }
        }
        return isSame;
    }

    private void count(PoolTopology before, PoolTopology after, boolean[][] isSame, SeenKey seen) {
        int owner = before.locateIndex(seen.key(), 0, seen.key().length);
        Node holder = seen.holder(); // A key that has not moved yet is on another node.
        int from = holder == null ? owner : holder.index();
        int to = after.locateIndex(seen.key(), 0, seen.key().length);
        all.add(seen);
        if (!isSame[from][to]) {
            moved.add(seen);
            moves.computeIfAbsent(new Pair(from, to), pair -> new Move()).add(seen);
        }
    }

    private void print(PoolTopology before, PoolTopology after, String source) {
        if (!moves.isEmpty()) {
            Table table = new Table("from", "keys", "bytes", "to");
            moves.forEach(
                    (pair, move) ->
                            table.row(
                                    shown(before, pair.from),
                                    Screen.count(move.keys),
                                    options.hasBytes() ? Screen.bytes(move.bytes) : "",
                                    shown(after, pair.to)));
            table.print(screen);
        }
        String bytes =
                options.hasBytes()
                        ? ", " + Screen.bytes(moved.bytes) + " of " + Screen.bytes(all.bytes)
                        : "";
        screen.line(
                "%s of %s keys move (%s)%s; keys of %s",
                Screen.count(moved.keys),
                Screen.count(all.keys),
                Screen.percent(moved.keys / Math.max(1, all.keys)),
                bytes,
                source);
    }

    private static String shown(PoolTopology topology, int index) {
        Node node = topology.byIndex().get(index);
        boolean isNamed = !node.name().equals(node.address());
        return Screen.plain(isNamed ? node.name() + " (" + node.address() + ")" : node.name());
    }

    private Map<String, Object> json(PoolTopology before, PoolTopology after) {
        List<Map<String, Object>> pairs = new ArrayList<>();
        moves.forEach(
                (pair, move) -> {
                    Map<String, Object> fields = new LinkedHashMap<>();
                    fields.put("from", before.byIndex().get(pair.from).name());
                    fields.put("to", after.byIndex().get(pair.to).name());
                    fields.put("keys", Math.round(move.keys));
                    fields.put("bytes", options.hasBytes() ? Math.round(move.bytes) : null);
                    pairs.add(fields);
                });
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("keys", Math.round(all.keys));
        answer.put("moved", Math.round(moved.keys));
        answer.put("bytes", options.hasBytes() ? Math.round(all.bytes) : null);
        answer.put("moved_bytes", options.hasBytes() ? Math.round(moved.bytes) : null);
        answer.put("moves", pairs);
        return answer;
    }
}
