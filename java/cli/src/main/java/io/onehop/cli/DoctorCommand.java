package io.onehop.cli;

import io.onehop.cli.Finding.Level;
import io.onehop.core.Node;
import io.onehop.core.Role;
import io.onehop.core.base.Clock;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.ServerPool;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/** Reaches every node from here, and says what is wrong with it. */
@Command(
        name = "doctor",
        description = {
            "Reach every node from here and say what is wrong with it.",
            "Address, password, TLS, role, version, memory, eviction, disk, connections, clock, big"
                    + " keys, and keys where clients do not seek them."
        })
final class DoctorCommand extends OperatorCommand {
    private static final long CLOCK_MS_MAX = 1000;

    @Mixin ServerPoolOptions which = new ServerPoolOptions();
    @Mixin SampleOptions options = new SampleOptions();

    @Option(
            names = "--big",
            paramLabel = "BYTES",
            defaultValue = "1048576",
            description =
                    "A key of at least so many bytes is a finding. Default: ${DEFAULT-VALUE}.")
    long big;

    private final List<Finding> findings = new ArrayList<>();

    DoctorCommand(Screen screen) {
        super(screen);
    }

    @Override
    public Integer call() throws Refusal {
        options.check();
        if (big < 1) {
            throw Refusal.ofUsage("--big is " + big + ", but must be at least 1");
        }
        ConfigFile file = which.file();
        ServerPool pool = which.of(file);
        try (AskedNodes nodes = new AskedNodes(file, pool)) {
            PoolTopology topology = nodes.topology();
            List<NodeReading> readings = NodeReading.ofAll(nodes, topology.nodes());
            compare(readings, "versions", NodeInfo::version);
            compare(readings, "eviction policies", info -> info.text("maxmemory_policy"));
            lookAtSlots(new SoughtNodes(topology));
            for (NodeReading reading : readings) {
                findings.addAll(NodeExamination.of(reading));
                if (isRedis(reading)) {
                    examine(nodes, topology, reading.node());
                }
            }
            long lost = readings.stream().filter(each -> !each.isThere()).count();
            answer(pool, readings.size(), lost);
            return lost > 0 ? ExitStatus.NO_ANSWER : Finding.status(findings);
        }
    }

    /** False if the node does not answer, or is not redis. If it refuses INFO, it may be redis. */
    private static boolean isRedis(NodeReading reading) {
        NodeInfo info = reading.info();
        return reading.isThere() && (info == null || !info.version().isEmpty());
    }

    /** Warns if nodes differ in a value that should be the same on all of them. */
    private void compare(
            List<NodeReading> readings, String what, Function<NodeInfo, String> value) {
        List<String> values =
                readings.stream()
                        .map(NodeReading::info)
                        .filter(Objects::nonNull)
                        .map(value)
                        .filter(each -> !each.isEmpty())
                        .distinct()
                        .sorted()
                        .toList();
        if (values.size() > 1) {
            String all = Screen.plain(String.join(", ", values));
            findings.add(
                    new Finding(
                            Level.WARNING, "all nodes", "have several " + what + ": " + all, ""));
        }
    }

    private void lookAtSlots(SoughtNodes sought) {
        if (sought.unserved() > 0) {
            String advice = "see redis-cli --cluster check";
            findings.add(new Finding(Level.ERROR, "all nodes", sought.warning(), advice));
        }
    }

    private void examine(AskedNodes nodes, PoolTopology topology, Node node) {
        ask(node, "TIME", () -> lookAtClock(nodes, node));
        ask(node, "CLIENT LIST", () -> lookAtClients(nodes, topology, node));
        if (node.role() == Role.NONE || node.role() == Role.MASTER) {
            ask(node, "SCAN and MEMORY USAGE", () -> lookAtKeys(nodes, topology, node));
        }
    }

    /** One look at a node. */
    private interface Look {
        void run() throws Refusal;
    }

    /**
     * Looks at a node. If the user lacks a right, or if the node has died by now, a finding says
     * so.
     */
    private void ask(Node node, String command, Look look) {
        try {
            look.run();
        } catch (JedisDataException refused) {
            String why = Screen.plain(refused.getMessage());
            add(Level.NOTE, node, "refuses " + command + ", so this was not checked: " + why, "");
        } catch (Refusal | JedisException lost) {
            add(Level.ERROR, node, Screen.plain(lost.getMessage()), "");
        }
    }

    private void add(Level level, Node node, String what, String advice) {
        findings.add(new Finding(level, Screen.plain(node.name()), what, advice));
    }

    private void lookAtClock(AskedNodes nodes, Node node) throws Refusal {
        long beganMs = Clock.unixMs();
        List<?> time = nodes.ask(node, List.class, Protocol.Command.TIME);
        long endedMs = Clock.unixMs();
        if (time == null
                || time.isEmpty()
                || !(time.get(0) instanceof byte[] digits)
                || digits.length > 15) {
            return;
        }
        long ms = 1000 * Long.parseLong(new String(digits, StandardCharsets.US_ASCII));
        long ahead = ms - endedMs;
        long behind = beganMs - (ms + 1000); // The node has cut `ms` to whole seconds.
        if (Math.max(ahead, behind) > CLOCK_MS_MAX) {
            String by =
                    Math.max(ahead, behind) / 1000 + " s " + (ahead > 0 ? "ahead of" : "behind");
            add(Level.WARNING, node, "has a clock that is " + by + " this machine's", "run NTP");
        }
    }

    private void lookAtClients(AskedNodes nodes, PoolTopology topology, Node node) throws Refusal {
        String list = nodes.text(node, Protocol.Command.CLIENT, "LIST");
        findings.addAll(ClientList.findings(Screen.plain(node.name()), topology.pool(), list));
    }

    private void lookAtKeys(AskedNodes nodes, PoolTopology topology, Node node) throws Refusal {
        SampledKeys keys = options.of(screen, nodes, /* hasBytes= */ true);
        SoughtNodes sought = new SoughtNodes(topology);
        long[] counts = new long[2]; // Of keys seen, and of those sought elsewhere.
        keys.read(
                List.of(node),
                seen -> {
                    counts[0]++;
                    counts[1] += sought.isStray(seen) ? 1 : 0;
                    if (seen.bytes() >= big) {
                        String size = Screen.bytes(seen.bytes());
                        add(
                                Level.WARNING,
                                node,
                                "has a key of " + size + ": " + Screen.shown(seen.key()),
                                "cut it into several keys");
                    }
                });
        if (counts[1] > 0) {
            add(
                    Level.WARNING,
                    node,
                    counts[1] + " of " + counts[0] + " sampled keys are not sought here",
                    "they were written with another configuration: see onehop diff");
        }
    }

    private void answer(ServerPool pool, int count, long lost) {
        if (isJson) {
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("pool", pool.name());
            answer.put("nodes", count);
            answer.put("without_answer", lost);
            answer.put("findings", findings.stream().map(Finding::json).toList());
            screen.json(answer);
            return;
        }
        findings.forEach(each -> each.print(screen));
        String verdict = findings.isEmpty() ? "fine" : Finding.counted(findings);
        screen.line("%s: %d of %d nodes answer: %s", pool.name(), count - lost, count, verdict);
    }
}
