package io.onehop.cli;

import io.onehop.core.Node;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.ServerPool;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Counts the keys of each node, and shows how evenly they are spread. */
@Command(
        name = "spread",
        description = {
            "Show how evenly your keys land on the nodes.",
            "A finding is a key that was found where clients do not seek it, or a slot of a Redis"
                    + " Cluster that has no node."
        })
final class SpreadCommand extends OperatorCommand {
    @Mixin ServerPoolOptions which = new ServerPoolOptions();
    @Mixin KeyOptions options = new KeyOptions();

    private double[] keys = {};
    private double[] bytes = {};
    private double nowhere; // Keys in slots without a node.
    private long strays;
    private long seen;
    private final UnreadNodes unread = new UnreadNodes();

    SpreadCommand(Screen screen) {
        super(screen);
    }

    @Override
    public Integer call() throws Refusal {
        options.check();
        ConfigFile file = which.file();
        ServerPool pool = which.of(file);
        PoolTopology topology = AskedNodes.topologyOf(file, pool);
        keys = new double[topology.byIndex().size()];
        bytes = new double[keys.length];
        SoughtNodes sought = new SoughtNodes(topology);
        String source =
                options.read(screen, file, pool, topology, unread, key -> count(sought, key));
        if (isJson) {
            screen.json(json(topology, sought));
        } else {
            print(topology, sought, source);
        }
        boolean isFine = strays == 0 && sought.unserved() == 0;
        return unread.status(isFine ? ExitStatus.FINE : ExitStatus.FINDINGS);
    }

    private void count(SoughtNodes sought, SeenKey key) {
        int node = sought.of(key);
        seen++;
        if (node == SoughtNodes.NOWHERE) {
            nowhere += key.count();
            return;
        }
        strays += sought.isStray(key) ? 1 : 0;
        keys[node] += key.count();
        bytes[node] += key.count() * key.bytes();
    }

    private void print(PoolTopology topology, SoughtNodes sought, String source) {
        double all = Arrays.stream(keys).sum();
        double most = Math.max(1, Arrays.stream(keys).max().orElse(1));
        screen.line(
                "%s: %s keys of %s", topology.pool().name(), Screen.count(all + nowhere), source);
        Table table = new Table("node", "keys", "share", "meant", "more", "bytes", "");
        double[] meant = meant(topology, sought);
        for (Node node : AskedNodes.withKeys(topology)) {
            int at = node.index();
            table.bar(
                    keys[at] / most,
                    Screen.plain(node.name()),
                    Screen.count(keys[at]),
                    Screen.percent(keys[at] / Math.max(1, all)),
                    Screen.percent(meant[at]),
                    all == 0 ? "" : signed(deviation(at, meant, all)),
                    options.hasBytes() ? Screen.bytes(bytes[at]) : "",
                    "");
        }
        table.print(screen);
        screen.line("%s", verdict(topology, meant, all));
        unread.print(screen);
        if (sought.unserved() > 0) {
            screen.line("%s: %s of these keys", sought.warning(), Screen.count(nowhere));
        }
        if (strays > 0) {
            screen.line(
                    "%s of %s sampled keys are on a node where clients do not seek them: see"
                            + " docs/cli.md",
                    Screen.count(strays), Screen.count(seen));
        }
    }

    /** The part of all keys that a node is meant to have. */
    private static double[] meant(PoolTopology topology, SoughtNodes sought) {
        if (topology.pool().cluster()) {
            return sought.parts();
        }
        int servers = topology.pool().servers().size(); // All other nodes only lose keys.
        double weights = topology.pool().servers().stream().mapToInt(each -> each.weight()).sum();
        return topology.byIndex().stream()
                .mapToDouble(node -> node.index() < servers ? node.weight() / weights : 0)
                .toArray();
    }

    private double deviation(int node, double[] meant, double all) {
        return meant[node] == 0 ? 0 : keys[node] / (meant[node] * all) - 1;
    }

    private static String signed(double deviation) {
        return String.format(Locale.ROOT, "%+.1f %%", 100 * deviation);
    }

    private String verdict(PoolTopology topology, double[] meant, double all) {
        double squares = 0;
        double worst = 0;
        List<Node> nodes = AskedNodes.withKeys(topology);
        String name = "";
        for (Node node : nodes) {
            double deviation = all == 0 ? 0 : deviation(node.index(), meant, all);
            squares += deviation * deviation;
            if (Math.abs(deviation) > Math.abs(worst)) {
                worst = deviation;
                name = " (" + Screen.plain(node.name()) + ")";
            }
        }
        String typical = Screen.percent(Math.sqrt(squares / Math.max(1, nodes.size())));
        return "deviation: " + typical + ", at most " + signed(worst) + name;
    }

    private Map<String, Object> json(PoolTopology topology, SoughtNodes sought) {
        double[] meant = meant(topology, sought);
        double all = Arrays.stream(keys).sum();
        List<Map<String, Object>> nodes = new ArrayList<>();
        for (Node node : AskedNodes.withKeys(topology)) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("node", node.name());
            fields.put("address", node.address());
            fields.put("keys", Math.round(keys[node.index()]));
            fields.put("bytes", options.hasBytes() ? Math.round(bytes[node.index()]) : null);
            fields.put("meant", meant[node.index()]);
            fields.put("deviation", all == 0 ? 0 : deviation(node.index(), meant, all));
            nodes.add(fields);
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("pool", topology.pool().name());
        answer.put("keys", Math.round(all + nowhere));
        answer.put("keys_without_node", Math.round(nowhere));
        answer.put("slots_without_node", sought.unserved());
        answer.put("seen", seen);
        answer.put("strays", strays);
        answer.put("unread", unread.json());
        answer.put("nodes", nodes);
        return answer;
    }
}
