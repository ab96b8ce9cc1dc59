package io.onehop.cli;

import io.onehop.core.Role;
import io.onehop.core.topology.ServerPool;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A reading of each node, for a person or as JSON. Hits are counted since the reading before, or
 * since the node's start.
 */
final class StatusTable {
    private static final NodeInfo NOTHING = NodeInfo.of("");

    private final ServerPool pool;
    private final List<NodeReading> readings;
    private final Map<String, NodeInfo> before = new LinkedHashMap<>(); // By name of the node.

    StatusTable(ServerPool pool, List<NodeReading> readings, List<NodeReading> earlier) {
        this.pool = pool;
        this.readings = readings;
        for (NodeReading reading : earlier) {
            if (reading.info() != null) {
                before.put(reading.node().name(), reading.info());
            }
        }
    }

    void print(Screen screen) {
        Table table =
                new Table(
                        "node", "role", "keys", "memory", "clients", "calls/s", "hits", "ms",
                        "version");
        for (NodeReading reading : readings) {
            table.row(row(screen, reading));
        }
        table.print(screen);
        for (NodeReading reading : readings) {
            if (reading.info() == null) {
                screen.line("%s: %s", Screen.plain(reading.node().name()), reading.failure());
            }
        }
        screen.line("%s: %d of %d nodes answer", pool.name(), answering(), readings.size());
    }

    private String[] row(Screen screen, NodeReading reading) {
        String name = Screen.plain(reading.node().name());
        NodeInfo info = reading.info();
        if (info == null) {
            String role = reading.isThere() ? "?" : screen.coloured(Screen.Colour.RED, "down");
            return new String[] {name, role, "", "", "", "", "", "", ""};
        }
        return new String[] {
            name,
            screen.coloured(Screen.Colour.GREEN, role(reading, info)),
            Screen.count(info.keys()),
            Screen.bytes(info.number("used_memory")),
            Screen.count(info.number("connected_clients")),
            Screen.count(info.number("instantaneous_ops_per_sec")),
            shown(hits(reading, info)),
            String.format(Locale.ROOT, "%.1f", reading.took().toNanos() / 1e6),
            Screen.plain(info.version())
        };
    }

    private static String role(NodeReading reading, NodeInfo info) {
        if (reading.node().role() == Role.SPARE) {
            return "spare";
        }
        if (!info.has("role")) {
            return "?"; // It is not a redis-server.
        }
        return info.isReplica() ? "replica" : "master";
    }

    /** Hits per look-up; NaN without look-ups. */
    private double hits(NodeReading reading, NodeInfo info) {
        return info.hits(before.getOrDefault(reading.node().name(), NOTHING));
    }

    private static String shown(double hits) {
        return Double.isNaN(hits) ? "" : Screen.percent(hits);
    }

    private long answering() {
        return readings.stream().filter(NodeReading::isThere).count();
    }

    /** The exit status. A node that answers, but says nothing of itself, is a finding. */
    int status() {
        if (answering() < readings.size()) {
            return ExitStatus.NO_ANSWER;
        }
        boolean isWhole = readings.stream().allMatch(each -> each.info() != null);
        return isWhole ? ExitStatus.FINE : ExitStatus.FINDINGS;
    }

    Map<String, Object> json() {
        List<Map<String, Object>> nodes = new ArrayList<>();
        for (NodeReading reading : readings) {
            Map<String, Object> fields = new LinkedHashMap<>();
            NodeInfo info = reading.info();
            fields.put("node", reading.node().name());
            fields.put("address", reading.node().address());
            fields.put("answers", reading.isThere());
            fields.put("failure", reading.failure());
            if (info != null) {
                fields.put("role", role(reading, info));
                fields.put("version", info.version());
                fields.put("keys", info.keys());
                fields.put("bytes", info.number("used_memory"));
                fields.put("bytes_max", info.number("maxmemory"));
                fields.put("clients", info.number("connected_clients"));
                fields.put("calls_per_second", info.number("instantaneous_ops_per_sec"));
                double hits = hits(reading, info);
                fields.put("hits", Double.isNaN(hits) ? null : hits);
                fields.put("microseconds", reading.took().toNanos() / 1000);
            }
            nodes.add(fields);
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("pool", pool.name());
        answer.put("nodes", nodes);
        return answer;
    }
}
