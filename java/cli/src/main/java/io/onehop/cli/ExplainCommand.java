package io.onehop.cli;

import io.onehop.core.Distribution;
import io.onehop.core.Explanation;
import io.onehop.core.topology.Directive;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.ServerPool;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Says for each key on which node it is, and why. */
@Command(
        name = "explain",
        description = {
            "Say on which node a key is, and why.",
            "Only the nodes of a Redis Cluster are asked, for the map of its slots."
        })
final class ExplainCommand extends OperatorCommand {
    @Mixin ServerPoolOptions which = new ServerPoolOptions();

    @Parameters(paramLabel = "KEY", arity = "1..*", description = "The keys.")
    List<String> keys = new ArrayList<>();

    ExplainCommand(Screen screen) {
        super(screen);
    }

    @Override
    public Integer call() throws Refusal {
        ConfigFile file = which.file();
        ServerPool pool = which.of(file);
        if (keys.stream().anyMatch(key -> key.indexOf('\ufffd') >= 0)) {
            throw Refusal.ofUsage("this locale cannot hold that key: set LC_ALL=C.UTF-8");
        }
        PoolTopology topology = AskedNodes.topologyOf(file, pool);
        List<Explanation> explained =
                keys.stream()
                        .map(key -> topology.explain(key.getBytes(StandardCharsets.UTF_8)))
                        .toList();
        if (isJson) {
            screen.json(
                    explained.stream().map(each -> json(each, hasNode(topology, each))).toList());
        } else {
            explained.forEach(each -> print(each, pool, hasNode(topology, each)));
        }
        boolean isFine = explained.stream().allMatch(each -> hasNode(topology, each));
        return isFine ? ExitStatus.FINE : ExitStatus.FINDINGS;
    }

    /** False if the slot of the key has no node in the Redis Cluster. */
    private static boolean hasNode(PoolTopology topology, Explanation why) {
        return !topology.pool().cluster() || topology.isServed((int) why.point());
    }

    private void print(Explanation why, ServerPool pool, boolean hasNode) {
        screen.line("%s", Screen.shown(why.key()));
        if (isAlone(pool)) {
            screen.line("  hashed  nothing: the server pool has one server");
        } else {
            screen.line("  hashed  \"%s\" (%s)", Screen.shown(why.hashed()), part(why, pool));
            screen.line("  hash    %s %d", why.hashFunction().label(), why.hash());
            screen.line("  point   %d (%s)", why.point(), point(why));
        }
        if (why.distribution() == Distribution.RANDOM) {
            screen.line("  node    any");
            return;
        }
        if (!hasNode) {
            screen.line(
                    "  node    none: no node has this slot, so the key cannot be read or written");
            return;
        }
        String address =
                why.node().address().equals(why.node().name())
                        ? ""
                        : ", at " + why.node().address();
        screen.line("  node    %s%s", why.node().name(), address);
        if (why.movesFrom() != null) {
            screen.line("  from    %s, until the key has moved", why.movesFrom().address());
        }
    }

    private static boolean isAlone(ServerPool pool) {
        return pool.servers().size() == 1 && !pool.cluster();
    }

    /** Which part of the key is hashed. */
    private static String part(Explanation why, ServerPool pool) {
        if (!Arrays.equals(why.key(), why.hashed())) {
            return "the part in its hash tag";
        }
        return pool.value(Directive.HASH_TAG) == null
                ? "the whole key: the server pool has no hash_tag"
                : "the whole key: it has no hash tag";
    }

    private static String point(Explanation why) {
        return switch (why.distribution()) {
            case KETAMA -> "the next point of the ring";
            case MODULA -> "the hash modulo all weights";
            case SLOTS -> "the slot of the Redis Cluster";
            case RANDOM -> "any node: no key is found again";
            default -> "as " + why.distribution().label() + " does it";
        };
    }

    private static Map<String, Object> json(Explanation why, boolean hasNode) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("key", Screen.shown(why.key()));
        fields.put("hashed", Screen.shown(why.hashed()));
        fields.put("hash_function", why.hashFunction().label());
        fields.put("hash", why.hash());
        fields.put("distribution", why.distribution().label());
        fields.put("point", why.point());
        boolean isFixed = hasNode && why.distribution() != Distribution.RANDOM;
        fields.put("node", isFixed ? why.node().name() : null);
        fields.put("address", isFixed ? why.node().address() : null);
        if (why.movesFrom() != null) {
            fields.put("from", why.movesFrom().address());
        }
        return fields;
    }
}
