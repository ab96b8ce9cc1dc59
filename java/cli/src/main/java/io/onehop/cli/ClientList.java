package io.onehop.cli;

import io.onehop.cli.Finding.Level;
import io.onehop.core.topology.ConnectionName;
import io.onehop.core.topology.Directive;
import io.onehop.core.topology.ServerPool;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Finds out who else is connected to a node, from its CLIENT LIST, which is not trusted. */
final class ClientList {
    private static final int SHOWN_MAX = 3;

    private final String own; // The name of our connections.
    private final String prefix; // How names of this server pool's connections begin.
    private final Map<String, Integer> strangers = new TreeMap<>();

    /* Connections of this server pool that have another configuration. */
    private final Map<String, Integer> others = new TreeMap<>();

    private int monitors;

    private ClientList(ServerPool pool) {
        this.own = ConnectionName.of(pool);
        this.prefix = own.substring(0, own.lastIndexOf(':') + 1);
    }

    static List<Finding> findings(String node, ServerPool pool, String text) {
        ClientList list = new ClientList(pool);
        String first = Objects.requireNonNullElse(pool.text(Directive.CLIENT_NAME), "onehop");
        text.lines().forEach(line -> list.read(line, first));
        return list.findings(node);
    }

    private void read(String line, String first) {
        String name = field(line, "name");
        String flags = field(line, "flags");
        monitors += flags.contains("O") ? 1 : 0;
        boolean isOfServers =
                flags.contains("S") || flags.contains("M") || name.startsWith("sentinel-");
        if (isOfServers || name.equals(own)) {
            return;
        }
        // Another server pool's name may begin with this prefix, but then has one more colon.
        if (name.startsWith(prefix) && name.indexOf(':', prefix.length()) < 0) {
            others.merge(name, 1, Integer::sum);
        } else if (!name.startsWith(first + ":") && !name.startsWith("onehop:")) {
            String address = field(line, "addr");
            int port = address.lastIndexOf(':');
            String host = port < 0 ? address : address.substring(0, port);
            strangers.merge(host + (name.isEmpty() ? "" : " (" + name + ")"), 1, Integer::sum);
        }
    }

    /** The value of a field in a line such as {@code a=1 b=2}. */
    private static String field(String line, String name) {
        int at = line.startsWith(name + "=") ? 0 : line.indexOf(" " + name + "=") + 1;
        if (at == 0 && !line.startsWith(name + "=")) {
            return "";
        }
        int begin = at + name.length() + 1;
        int end = line.indexOf(' ', begin);
        return end < 0 ? line.substring(begin) : line.substring(begin, end);
    }

    private List<Finding> findings(String node) {
        List<Finding> found = new ArrayList<>();
        if (monitors > 0) {
            String what = "has " + monitors + " MONITOR, which costs half of its speed";
            found.add(new Finding(Level.WARNING, node, what, "end it"));
        }
        if (!others.isEmpty()) {
            found.add(
                    new Finding(
                            Level.WARNING,
                            node,
                            "has connections with another configuration of this server pool: "
                                    + shown(others),
                            "compare the files of all hosts, and what their processes have read"));
        }
        if (!strangers.isEmpty()) {
            found.add(
                    new Finding(
                            Level.NOTE,
                            node,
                            "has connections that are not OneHop's: " + shown(strangers),
                            "do they place keys alike?"));
        }
        return found;
    }

    /** The most frequent names, with their counts. */
    private static String shown(Map<String, Integer> counts) {
        String first =
                counts.entrySet().stream()
                        .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                        .limit(SHOWN_MAX)
                        .map(each -> each.getValue() + " of " + Screen.plain(each.getKey()))
                        .reduce((one, next) -> one + ", " + next)
                        .orElse("");
        return first + (counts.size() > SHOWN_MAX ? ", ..." : "");
    }
}
