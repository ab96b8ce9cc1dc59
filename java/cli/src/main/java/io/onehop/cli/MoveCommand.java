package io.onehop.cli;

import static java.util.concurrent.CompletableFuture.runAsync;

import io.onehop.core.Node;
import io.onehop.core.base.Clock;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.ServerPool;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import redis.clients.jedis.exceptions.JedisException;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Moves the keys of a server pool that has {@code moving_from}, until nothing is left at the old
 * places. The old owners work in parallel. The command keeps no state: the nodes themselves show
 * what is left.
 *
 * <p>Implements spec/topology/moving.md, section 8.
 */
@Command(
        name = "move",
        description = {
            "Move all keys that are left on their old nodes, so that moving_from can go.",
            "Programs may use the keys meanwhile. It may be ended and started again at any time."
        })
final class MoveCommand extends OperatorCommand {
    private static final int PASSES_MAX = 5;

    @Mixin MoveOptions options = new MoveOptions();

    MoveCommand(Screen screen) {
        super(screen);
    }

    @Override
    public Integer call() throws Refusal {
        options.check();
        ConfigFile file = options.which.file();
        ServerPool pool = options.of(file);
        List<Finding> sharers = MoveOptions.sharers(file, pool);
        if (!sharers.isEmpty()) {
            Finding first = sharers.get(0);
            throw Refusal.ofUsage("node " + first.where() + ": " + first.what());
        }
        long beganNs = Clock.nowNs();
        try (AskedNodes nodes = AskedNodes.following(file, pool);
                Move move = new Move(nodes, options.bytesPerSecond(), options.blockMs)) {
            run(move);
            double seconds = (Clock.nowNs() - beganNs) / 1e9;
            if (isJson) {
                screen.json(json(move, seconds));
            } else {
                print(move, seconds);
            }
            return status(move.tally());
        }
    }

    /**
     * Passes over all old owners until nothing is left there. Ends earlier if a node fails, if all
     * keys that are left are refused, or after {@code PASSES_MAX} passes.
     */
    private void run(Move move) throws Refusal {
        PoolTopology topology = move.topology();
        List<OldOwner> owners =
                Arrays.stream(topology.oldOwners())
                        .mapToObj(each -> new OldOwner(move, topology.byIndex().get(each)))
                        .toList();
        MoveTally tally = move.tally();
        for (int pass = 0; pass < PASSES_MAX; pass++) {
            tally.beginPass();
            pass(move, owners);
            if (!tally.lost().isEmpty() || tally.foundCount() == tally.refusedCount()) {
                return;
            }
        }
    }

    private void pass(Move move, List<OldOwner> owners) throws Refusal {
        try (Progress progress = new Progress(screen, "keys seen", size(owners), move::speed)) {
            owners.stream()
                    .map(each -> runAsync(() -> each.pass(progress), move.threads()))
                    .toList()
                    .forEach(CompletableFuture::join);
        }
        move.topology(); // Throws if the file has changed.
    }

    private static long size(List<OldOwner> owners) {
        long size = 0;
        for (OldOwner each : owners) {
            try {
                size += each.size();
            } catch (Refusal | JedisException unknown) {
                // The pass will report the failure.
            }
        }
        return size;
    }

    private static int status(MoveTally tally) {
        if (!tally.lost().isEmpty()) {
            return ExitStatus.NO_ANSWER;
        }
        return tally.foundCount() == 0 ? ExitStatus.FINE : ExitStatus.FINDINGS;
    }

    /* ---- For a person ---- */

    private void print(Move move, double seconds) throws Refusal {
        PoolTopology topology = move.topology();
        MoveTally tally = move.tally();
        boolean hasBytes = move.isLimited();
        tally.moved().print(screen, topology, topology, hasBytes);
        for (MoveTally.Large each : tally.large()) {
            screen.line(
                    "%s: one key of %s has blocked it for %.0f ms: %s",
                    Screen.plain(each.node().name()),
                    Screen.bytes(each.bytes()),
                    each.ms(),
                    Screen.shown(each.key()));
        }
        Moves.Sum moved = tally.moved().all();
        screen.line(
                "%s: %s keys moved%s in %s; %s of them by DUMP and RESTORE",
                topology.pool().name(),
                Screen.count(moved.keys()),
                hasBytes ? ", " + Screen.bytes(moved.bytes()) : "",
                Screen.duration(seconds),
                Screen.count(tally.byHand()));
        tally.refused().forEach(each -> screen.line("refused: %s", each));
        for (BatchBringer.Lost each : tally.lost()) {
            screen.line("%s: %s", Screen.plain(each.node().name()), Screen.plain(each.why()));
        }
        if (status(tally) == ExitStatus.FINE) {
            leaving(topology).forEach(node -> screen.line("%s", left(node, move)));
        }
        screen.line("%s", verdict(tally));
    }

    /** The nodes that only the old ring has. */
    private static List<Node> leaving(PoolTopology topology) {
        int servers = topology.pool().servers().size();
        return topology.nodes().stream().filter(node -> node.index() >= servers).toList();
    }

    private static String left(Node node, Move move) {
        long others = move.tally().others(node);
        String name = Screen.plain(node.name());
        Node same = move.sameServer(node);
        if (same != null) {
            return name + " is the same server as " + Screen.plain(same.name());
        }
        return others == 0
                ? name + " has no keys of this server pool any more"
                : String.format(
                        Locale.ROOT,
                        "%s has %s keys that this server pool does not place there: they were left",
                        name,
                        Screen.count(others));
    }

    private static String verdict(MoveTally tally) {
        if (!tally.lost().isEmpty()) {
            return "keys are left: a node has failed; run it again";
        }
        if (tally.foundCount() == 0) {
            return "nothing is left at the old places: moving_from can go";
        }
        return tally.foundCount() == tally.refusedCount()
                ? Screen.count(tally.refusedCount()) + " keys are left: nodes refuse them"
                : "keys come to the old places again and again: a program still has an older file"
                        + " (onehop doctor)";
    }

    /* ---- For a program ---- */

    private static Map<String, Object> json(Move move, double seconds) throws Refusal {
        PoolTopology topology = move.topology();
        MoveTally tally = move.tally();
        Moves.Sum moved = tally.moved().all();
        boolean hasBytes = move.isLimited();
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("pool", topology.pool().name());
        answer.put("nothing_left", status(tally) == ExitStatus.FINE);
        answer.put("verdict", verdict(tally));
        answer.put("keys", Math.round(moved.keys()));
        answer.put("bytes", hasBytes ? Math.round(moved.bytes()) : null);
        answer.put("seconds", seconds);
        answer.put("by_dump_and_restore", tally.byHand());
        answer.put("longest_ms", tally.longestMs());
        answer.put("moves", tally.moved().json(topology, topology, hasBytes));
        answer.put("large_keys", tally.large().stream().map(MoveCommand::json).toList());
        answer.put("refused", tally.refusedCount());
        answer.put("refusals", tally.refused());
        answer.put("failures", tally.lost().stream().map(MoveCommand::json).toList());
        List<Map<String, Object>> leaving = new ArrayList<>();
        for (Node node : leaving(topology)) {
            if (move.sameServer(node) != null) {
                continue; // The server stays, under another address.
            }
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("node", node.name());
            fields.put("keys_of_others", tally.others(node));
            leaving.add(fields);
        }
        answer.put("leaving", leaving);
        return answer;
    }

    private static Map<String, Object> json(MoveTally.Large large) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("node", large.node().name());
        fields.put("key", Screen.shown(large.key()));
        fields.put("bytes", Math.round(large.bytes()));
        fields.put("ms", large.ms());
        return fields;
    }

    private static Map<String, Object> json(BatchBringer.Lost lost) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("node", lost.node().name());
        fields.put("why", lost.why());
        return fields;
    }
}
