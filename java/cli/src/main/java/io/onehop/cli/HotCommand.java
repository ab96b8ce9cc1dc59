package io.onehop.cli;

import io.onehop.core.Node;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.ServerPool;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisDataException;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The keys of a sample that are used most. */
@Command(
        name = "hot",
        description = {
            "Find the hottest keys among sampled ones.",
            "A node whose maxmemory-policy is an LFU one counts the use of its keys (OBJECT FREQ)."
                    + " Otherwise it is asked again and again which keys were used within the last"
                    + " second (OBJECT IDLETIME)."
        })
final class HotCommand extends OperatorCommand {
    private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int LOOKS_MAX = 1000;

    /** A key, and how hot it is, 0 to 1. */
    private record Heat(Node node, byte[] key, double heat, String why, double bytes) {}

    @Mixin ServerPoolOptions which = new ServerPoolOptions();
    @Mixin SampleOptions options = new SampleOptions();

    @Option(
            names = "--most",
            paramLabel = "N",
            defaultValue = "10",
            description = "How many keys are shown. Default: ${DEFAULT-VALUE}.")
    int most;

    @Option(
            names = "--looks",
            paramLabel = "N",
            defaultValue = "5",
            description = "How often a node without LFU is asked. Default: 5.")
    int looks;

    private final UnreadNodes unread = new UnreadNodes();

    HotCommand(Screen screen) {
        super(screen);
    }

    @Override
    public Integer call() throws Refusal {
        options.check();
        if (looks < 1 || looks > LOOKS_MAX) {
            throw Refusal.ofUsage("--looks is " + looks + ", but must be from 1 to " + LOOKS_MAX);
        }
        if (most < 1) {
            throw Refusal.ofUsage("--most is " + most + ", but must be at least 1");
        }
        ConfigFile file = which.file();
        ServerPool pool = which.of(file);
        List<Heat> found = new ArrayList<>();
        try (AskedNodes nodes = new AskedNodes(file, pool)) {
            PoolTopology topology = nodes.topology();
            SampledKeys keys = options.of(screen, nodes, /* hasBytes= */ true);
            List<Node> asked = AskedNodes.withKeys(topology);
            for (Node node : asked) {
                unread.attempt(node, () -> found.addAll(keysOf(nodes, keys, node)));
            }
            unread.requireSome(asked);
        }
        List<Heat> hottest =
                found.stream()
                        .filter(each -> each.heat > 0)
                        .sorted(Comparator.comparingDouble(Heat::heat).reversed())
                        .limit(most)
                        .toList();
        answer(pool, hottest, found.size());
        return unread.status(ExitStatus.FINE);
    }

    private List<Heat> keysOf(AskedNodes nodes, SampledKeys keys, Node node) throws Refusal {
        List<SeenKey> seen = new ArrayList<>();
        keys.read(List.of(node), seen::add);
        return isCounting(nodes, node) ? counted(nodes, node, seen) : looked(nodes, node, seen);
    }

    /** True if a node counts the use of its keys. False also if the node refuses INFO. */
    private static boolean isCounting(AskedNodes nodes, Node node) throws Refusal {
        try {
            NodeInfo info = NodeInfo.of(nodes.text(node, Protocol.Command.INFO, "memory"));
            return info.text("maxmemory_policy").contains("lfu");
        } catch (JedisDataException refused) {
            return false;
        }
    }

    private List<Heat> counted(AskedNodes nodes, Node node, List<SeenKey> seen) throws Refusal {
        Pace pace = new Pace(options.rate);
        List<Heat> found = new ArrayList<>();
        try (Progress progress = new Progress(screen, "OBJECT FREQ", seen.size())) {
            for (SeenKey each : seen) {
                pace.await();
                Long counted =
                        nodes.askOfKey(
                                node, Long.class, Protocol.Command.OBJECT, "FREQ", each.key());
                long count = counted == null ? 0 : counted; // 0 if the key is gone.
                found.add(new Heat(node, each.key(), count / 255.0, "LFU " + count, each.bytes()));
                progress.step(1);
            }
        }
        return found;
    }

    private List<Heat> looked(AskedNodes nodes, Node node, List<SeenKey> seen) throws Refusal {
        Pace pace = new Pace(options.rate);
        int[] uses = new int[seen.size()];
        try (Progress progress = new Progress(screen, "looks", (double) looks * uses.length)) {
            for (int look = 0; look < looks; look++) {
                Pace.sleep(LOOK_NS);
                for (int i = 0; i < uses.length; i++) {
                    pace.await();
                    byte[] key = seen.get(i).key();
                    Long idle =
                            nodes.askOfKey(
                                    node, Long.class, Protocol.Command.OBJECT, "IDLETIME", key);
                    uses[i] += idle != null && idle == 0 ? 1 : 0;
                    progress.step(1);
                }
            }
        }
        List<Heat> found = new ArrayList<>();
        for (int i = 0; i < uses.length; i++) {
            String why = "used in " + uses[i] + " of " + looks + " looks";
            double heat = (double) uses[i] / looks;
            found.add(new Heat(node, seen.get(i).key(), heat, why, seen.get(i).bytes()));
        }
        return found;
    }

    private void answer(ServerPool pool, List<Heat> hottest, int count) {
        if (isJson) {
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("pool", pool.name());
            answer.put("sampled", count);
            answer.put("keys", hottest.stream().map(HotCommand::json).toList());
            answer.put("unread", unread.json());
            screen.json(answer);
            return;
        }
        Table table = new Table("node", "bytes", "heat", "key");
        for (Heat each : hottest) {
            table.row(
                    Screen.plain(each.node.name()),
                    Screen.bytes(each.bytes),
                    each.why,
                    Screen.shown(each.key));
        }
        table.print(screen);
        unread.print(screen);
        screen.line("%s: %d of %d sampled keys", pool.name(), hottest.size(), count);
    }

    private static Map<String, Object> json(Heat heat) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("node", heat.node.name());
        fields.put("key", Screen.shown(heat.key));
        fields.put("heat", heat.heat);
        fields.put("why", heat.why);
        fields.put("bytes", Math.round(heat.bytes));
        return fields;
    }
}
