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
import java.util.LinkedHashMap;
import java.util.Map;

/** Counts the keys that clients seek on another node if they have the other configuration. */
@Command(
        name = "diff",
        description = {
            "Show which keys would move with another configuration.",
            "A key moves if its node has another address, or with Sentinels another name.",
            "Keys that move are a finding."
        })
final class DiffCommand extends OperatorCommand {

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
            description = "The name of the server pool in NEW, if it differs.")
    @Nullable String newPool;

    @Mixin KeyOptions options = new KeyOptions();

    private final Moves moves = new Moves();
    private Moves.Sum all = Moves.Sum.NONE;
    private final UnreadNodes unread = new UnreadNodes();
    private double nowhere; // Keys in slots without a node.

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
        SoughtNodes soughtBefore = new SoughtNodes(before);
        SoughtNodes soughtAfter = new SoughtNodes(after);
        if (soughtBefore.isAnywhere() || soughtAfter.isAnywhere()) {
            throw Refusal.ofUsage("with distribution: random a key may be on any node");
        }
        String source =
                options.read(
                        screen,
                        oldFile,
                        oldPool,
                        before,
                        unread,
                        key -> count(soughtBefore, soughtAfter, isSame, key));
        if (isJson) {
            screen.json(json(before, after));
        } else {
            print(before, after, source);
        }
        boolean isFine = moves.isEmpty() && nowhere == 0;
        return unread.status(isFine ? ExitStatus.FINE : ExitStatus.FINDINGS);
    }

    /**
     * For each node before and each node after: true if both are the same, so that keys stay there.
     */
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

    private void count(SoughtNodes before, SoughtNodes after, boolean[][] isSame, SeenKey seen) {
        Node holder = seen.holder(); // The old owner, if the key has yet to move.
        int from = holder == null ? before.of(seen.key()) : holder.index();
        int to = after.of(seen.key());
        double bytes = seen.count() * seen.bytes();
        all = all.and(new Moves.Sum(seen.count(), bytes));
        if (from == SoughtNodes.NOWHERE || to == SoughtNodes.NOWHERE) {
            nowhere += seen.count();
        } else if (!isSame[from][to]) {
            moves.add(from, to, seen.count(), bytes);
        }
    }

    private void print(PoolTopology before, PoolTopology after, String source) {
        moves.print(screen, before, after, options.hasBytes());
        Moves.Sum moved = moves.all();
        String bytes =
                options.hasBytes()
                        ? ", " + Screen.bytes(moved.bytes()) + " of " + Screen.bytes(all.bytes())
                        : "";
        screen.line(
                "%s of %s keys move (%s)%s; keys of %s",
                Screen.count(moved.keys()),
                Screen.count(all.keys()),
                Screen.percent(moved.keys() / Math.max(1, all.keys())),
                bytes,
                source);
        unread.print(screen);
        if (nowhere > 0) {
            screen.line("%s keys are in slots that have no node", Screen.count(nowhere));
        }
    }

    private Map<String, Object> json(PoolTopology before, PoolTopology after) {
        Moves.Sum moved = moves.all();
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("keys", Math.round(all.keys()));
        answer.put("keys_without_node", Math.round(nowhere));
        answer.put("moved", Math.round(moved.keys()));
        answer.put("bytes", options.hasBytes() ? Math.round(all.bytes()) : null);
        answer.put("moved_bytes", options.hasBytes() ? Math.round(moved.bytes()) : null);
        answer.put("unread", unread.json());
        answer.put("moves", moves.json(before, after, options.hasBytes()));
        return answer;
    }
}
