package io.onehop.cli;

import io.onehop.cli.Finding.Level;
import io.onehop.core.Node;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.ServerPool;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisDataException;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Says what a move will take, before the move begins. It changes nothing. */
@Command(
        name = "plan",
        description = {
            "Show what move will take: keys, bytes, memory, time, and large keys.",
            "All of it is estimated from a sample. A node without enough memory is a finding."
        })
final class PlanCommand extends OperatorCommand {
    private static final int COMMANDS_PER_SECOND = 1000;

    @Mixin MoveOptions options = new MoveOptions();

    @Option(
            names = "--sample",
            paramLabel = "N",
            defaultValue = "1000",
            description =
                    "How many keys of each old node are sampled, 1000 a second; 0 for all. Default:"
                            + " ${DEFAULT-VALUE}.")
    long sample;

    private final List<Finding> findings = new ArrayList<>();

    PlanCommand(Screen screen) {
        super(screen);
    }

    @Override
    public Integer call() throws Refusal {
        options.check();
        if (sample < 0) {
            throw Refusal.ofUsage("--sample is " + sample + ", but must be at least 0");
        }
        ConfigFile file = options.which.file();
        MovePlan plan = new MovePlan(options.bytesPerSecond());
        ServerPool pool = options.of(file);
        findings.addAll(MoveOptions.sharers(file, pool));
        try (AskedNodes nodes = new AskedNodes(file, pool);
                Move move = new Move(nodes, options.bytesPerSecond(), options.blockMs)) {
            PoolTopology topology = move.topology();
            List<Node> old =
                    Arrays.stream(topology.oldOwners()).mapToObj(topology.byIndex()::get).toList();
            new SampledKeys(screen, nodes, sample, true, new Pace(COMMANDS_PER_SECOND))
                    .read(old, key -> count(move, topology, key, plan));
            List<NodeReading> readings = NodeReading.ofAll(nodes, targets(topology, plan.moves()));
            readings.forEach(each -> lookAtMemory(each, plan.moves()));
            for (Node node : old) {
                lookAtRights(nodes, topology, node, plan);
            }
            if (isJson) {
                screen.json(json(topology, plan, readings, old));
            } else {
                print(topology, plan, readings, old);
            }
        }
        return Finding.status(findings);
    }

    private static void count(Move move, PoolTopology topology, SeenKey key, MovePlan plan) {
        int owner = topology.locateIndex(key.key(), 0, key.key().length);
        Node holder = key.holder();
        plan.saw(key);
        if (holder != null && move.isLeftAt(topology, holder, key.key(), owner)) {
            plan.moves(key, holder, topology.byIndex().get(owner));
        }
    }

    private static List<Node> targets(PoolTopology topology, Moves moves) {
        return topology.nodes().stream().filter(each -> moves.to(each.index()).keys() > 0).toList();
    }

    private void add(Level level, Node node, String what, String advice) {
        findings.add(new Finding(level, Screen.plain(node.name()), Screen.plain(what), advice));
    }

    private void lookAtMemory(NodeReading reading, Moves moves) {
        NodeInfo info = reading.info();
        if (info == null) {
            add(Level.WARNING, reading.node(), reading.failure(), "");
            return;
        }
        double gets = moves.to(reading.node().index()).bytes();
        long limit = info.number("maxmemory");
        if (limit > 0 && info.number("used_memory") + gets > limit) {
            boolean refuses = info.text("maxmemory_policy").equals("noeviction");
            add(
                    Level.WARNING,
                    reading.node(),
                    "has not enough memory: it "
                            + (refuses ? "will refuse keys" : "will evict keys")
                            + " (maxmemory "
                            + Screen.bytes(limit)
                            + ")",
                    "raise maxmemory, or add a node");
        }
    }

    /**
     * Adds a note if the user of the server pool may not MIGRATE, or if the node does not say
     * whether the user may. Only redis 7 and later say that.
     */
    private void lookAtRights(AskedNodes nodes, PoolTopology topology, Node node, MovePlan plan)
            throws Refusal {
        boolean migrates =
                topology.nodes().stream()
                        .filter(each -> plan.moves().has(node.index(), each.index()))
                        .anyMatch(each -> topology.mayMigrate(node, each));
        if (!migrates) {
            return;
        }
        Object key =
                plan.largest().stream()
                        .filter(each -> each.holder() == node)
                        .map(each -> (Object) each.key())
                        .findFirst()
                        .orElse("");
        try {
            String user = nodes.text(node, Protocol.Command.ACL, "WHOAMI");
            String said =
                    nodes.text(
                            node,
                            Protocol.Command.ACL,
                            "DRYRUN",
                            user,
                            "MIGRATE",
                            "host",
                            "1",
                            key,
                            "0",
                            "1");
            if (!said.equals("OK")) {
                add(
                        Level.NOTE,
                        node,
                        "its keys go by DUMP and RESTORE, which is slower: " + said,
                        "allow MIGRATE to the user of the server pool");
            }
        } catch (JedisDataException unknown) {
            add(
                    Level.NOTE,
                    node,
                    "does not say whether its user may MIGRATE: if not, its keys go by DUMP and"
                            + " RESTORE",
                    "");
        }
    }

    /* ---- For a person ---- */

    private void print(
            PoolTopology topology, MovePlan plan, List<NodeReading> readings, List<Node> old) {
        printPairs(topology, plan);
        printTargets(plan, readings);
        for (SeenKey each : plan.largest()) {
            if (MovePlan.blockedMs(each.bytes()) > options.blockMs) {
                screen.line(
                        "a key of %s will block its nodes for about %s ms: %s",
                        Screen.bytes(each.bytes()),
                        Screen.count(MovePlan.blockedMs(each.bytes())),
                        Screen.shown(each.key()));
            }
        }
        findings.forEach(each -> each.print(screen));
        Moves.Sum sum = plan.moves().all();
        screen.line(
                "%s: about %s of %s keys move, %s; %s",
                topology.pool().name(),
                Screen.count(sum.keys()),
                Screen.count(plan.all()),
                Screen.bytes(sum.bytes()),
                source());
        screen.line(
                "at --rate %s it takes about %s", options.rate, Screen.duration(plan.seconds(old)));
    }

    private String source() {
        return sample == 0
                ? "all keys were looked at"
                : "from a sample of " + sample + " keys of each old node";
    }

    private void printPairs(PoolTopology topology, MovePlan plan) {
        Table table = new Table("from", "to", "keys", "bytes", "by", "");
        double[] most = {1};
        plan.moves().forEach((pair, sum) -> most[0] = Math.max(most[0], sum.bytes()));
        plan.moves()
                .forEach(
                        (pair, sum) ->
                                table.bar(
                                        sum.bytes() / most[0],
                                        Moves.shown(topology, pair.from()),
                                        Moves.shown(topology, pair.to()),
                                        Screen.count(sum.keys()),
                                        Screen.bytes(sum.bytes()),
                                        way(topology, pair),
                                        ""));
        table.print(screen);
    }

    private static String way(PoolTopology topology, Moves.Pair pair) {
        Node from = topology.byIndex().get(pair.from());
        Node to = topology.byIndex().get(pair.to());
        return topology.mayMigrate(from, to) ? "MIGRATE" : "DUMP";
    }

    private void printTargets(MovePlan plan, List<NodeReading> readings) {
        Table table = new Table("node", "gets", "sends", "uses now", "maxmemory");
        for (NodeReading each : readings) {
            NodeInfo info = each.info();
            int node = each.node().index();
            long limit = info == null ? 0 : info.number("maxmemory");
            table.row(
                    Screen.plain(each.node().name()),
                    Screen.bytes(plan.moves().to(node).bytes()),
                    Screen.bytes(plan.moves().from(node).bytes()),
                    info == null ? "" : Screen.bytes(info.number("used_memory")),
                    limit == 0 ? "none" : Screen.bytes(limit));
        }
        table.print(screen);
    }

    /* ---- For a program ---- */

    private Map<String, Object> json(
            PoolTopology topology, MovePlan plan, List<NodeReading> readings, List<Node> old) {
        Moves.Sum sum = plan.moves().all();
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("pool", topology.pool().name());
        answer.put("sample", sample);
        answer.put("all", Math.round(plan.all()));
        answer.put("keys", Math.round(sum.keys()));
        answer.put("bytes", Math.round(sum.bytes()));
        answer.put("seconds", plan.seconds(old));
        answer.put("moves", plan.moves().json(topology, topology, /* hasBytes= */ true));
        answer.put("targets", readings.stream().map(each -> json(each, plan.moves())).toList());
        answer.put("largest_keys", plan.largest().stream().map(PlanCommand::json).toList());
        answer.put("findings", findings.stream().map(Finding::json).toList());
        return answer;
    }

    private static Map<String, Object> json(NodeReading reading, Moves moves) {
        NodeInfo info = reading.info();
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("node", reading.node().name());
        fields.put("gets", Math.round(moves.to(reading.node().index()).bytes()));
        fields.put("sends", Math.round(moves.from(reading.node().index()).bytes()));
        fields.put("bytes", info == null ? null : info.number("used_memory"));
        fields.put("bytes_max", info == null ? null : info.number("maxmemory"));
        return fields;
    }

    private static Map<String, Object> json(SeenKey key) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("node", key.holder() == null ? null : key.holder().name());
        fields.put("key", Screen.shown(key.key()));
        fields.put("bytes", Math.round(key.bytes()));
        fields.put("ms", MovePlan.blockedMs(key.bytes()));
        return fields;
    }
}
