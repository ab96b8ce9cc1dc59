package io.onehop.cli;

import io.onehop.cli.Finding.Level;
import io.onehop.core.Distribution;
import io.onehop.core.Hash;
import io.onehop.core.Node;
import io.onehop.core.base.Timings;
import io.onehop.core.topology.Directive;
import io.onehop.core.topology.DirectiveValue.TlsVerify;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.Server;
import io.onehop.core.topology.ServerPool;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Finds what is valid in a server pool, but perhaps not meant. In: a pool of a file. Out: findings,
 * each with its line. It asks no node, but checks whether the files that the pool names can be read
 * here.
 */
final class ConfigWarnings {
    private static final List<Directive> FILES =
            List.of(
                    Directive.REDIS_AUTH_FILE,
                    Directive.TLS_CA_CERT_FILE,
                    Directive.TLS_CERT_FILE,
                    Directive.TLS_KEY_FILE);

    private static final String VARIABLE = "[A-Za-z_][A-Za-z0-9_]*";

    /* A node gets a note if its share differs by more from the share that its weight asks for. */
    private static final double UNEVEN = 0.25;
    private static final int SENTINELS_MIN = 3; // Of three, two are more than half.

    private final Path file;
    private final String text; // The text of the file.
    private final ServerPool pool;
    private final List<Finding> found = new ArrayList<>();

    private ConfigWarnings(ConfigFile file, ServerPool pool) {
        this.file = file.path();
        this.text = file.text();
        this.pool = pool;
    }

    static List<Finding> of(ConfigFile file, ServerPool pool) {
        ConfigWarnings warnings = new ConfigWarnings(file, pool);
        if (!pool.redis()) {
            warnings.add(
                    Level.WARNING, "speaks memcached, so clients refuse it", "add redis: true");
            return warnings.found;
        }
        warnings.lookAtTimeout();
        warnings.lookAtSecrets();
        warnings.lookAtFiles();
        warnings.lookAtServers();
        if (!pool.cluster()) {
            warnings.lookAtPlacement();
            warnings.lookAtShares();
        }
        return warnings.found;
    }

    private void add(Level level, String what, String advice) {
        add(level, pool.line(), what, advice);
    }

    private void add(Level level, int line, String what, String advice) {
        found.add(new Finding(level, file + ":" + line, pool.name() + " " + what, advice));
    }

    private void lookAtTimeout() {
        int ms = pool.timeoutMs();
        if (ms == 0) {
            add(
                    Level.WARNING,
                    "has no timeout, so a node that hangs stops its callers",
                    "timeout: 400");
        } else if (ms < Timings.TIMEOUT_SHORT_MS) {
            add(Level.WARNING, "has a timeout of " + ms + " ms", "the unit is milliseconds");
        }
    }

    private void lookAtSecrets() {
        lookAtPassword(pool.isPasswordInText() ? pool.redisAuth() : null);
        if (pool.isPasswordInText() && isOpenToOthers(file)) {
            add(
                    Level.WARNING,
                    "has a password, and every user of this machine may read or change the file",
                    "chmod o= " + file);
        }
        String passwords = pool.redisAuthFile();
        if (passwords != null && isOpenToOthers(Path.of(passwords))) {
            add(
                    Level.WARNING,
                    "has its password in a file that every user of this machine may read or change",
                    "chmod o= " + passwords);
        }
        if (pool.tls() && pool.tlsVerify() == TlsVerify.NONE) {
            add(
                    Level.WARNING,
                    "checks no certificate: anybody on the way can read and change everything",
                    "tls_verify: full");
        }
    }

    /**
     * Warns of a password that looks like a variable. In a file, "$${" stands for the text "${".
     */
    private void lookAtPassword(@Nullable String password) {
        if (password != null && password.matches("\\$" + VARIABLE)) {
            add(Level.WARNING, "has a password that looks like a variable", "write ${NAME}");
        } else if (password != null
                && password.matches("\\$\\{" + VARIABLE + "}")
                && !text.contains("$" + password)) {
            add(
                    Level.WARNING,
                    "has a password that looks like a variable; variables need a directive of"
                            + " OneHop, so this text itself is the password",
                    "engine: redis");
        }
    }

    private static boolean isOpenToOthers(Path file) {
        try {
            Set<PosixFilePermission> rights = Files.getPosixFilePermissions(file);
            return rights.contains(PosixFilePermission.OTHERS_READ)
                    || rights.contains(PosixFilePermission.OTHERS_WRITE);
        } catch (IOException | UnsupportedOperationException untold) {
            return false;
        }
    }

    private void lookAtFiles() {
        for (Directive directive : FILES) {
            String path = pool.text(directive);
            if (path != null && !Files.isReadable(Path.of(path))) {
                String why = Files.exists(Path.of(path)) ? "no permission" : "no such file";
                add(
                        Level.WARNING,
                        "names a " + directive.label() + " that cannot be read here: " + why,
                        Screen.plain(path));
            }
        }
    }

    private void lookAtServers() {
        Map<String, Server> byAddress = new HashMap<>();
        for (Server server : pool.servers()) {
            Server twin = byAddress.putIfAbsent(server.address(), server);
            if (twin != null) {
                add(
                        Level.WARNING,
                        server.line(),
                        "has "
                                + server.address()
                                + " twice, as nodes "
                                + twin.name()
                                + " and "
                                + server.name(),
                        "give each node a server of its own");
            }
        }
        int sentinels = pool.sentinels().size();
        if (sentinels > 0 && sentinels < SENTINELS_MIN) {
            add(
                    Level.WARNING,
                    "has only " + sentinels + " of its Sentinels",
                    "name at least 3, on different machines");
        }
        if (pool.cluster() && pool.servers().size() == 1) {
            add(
                    Level.NOTE,
                    "has one seed: while that is down, new processes find no map",
                    "name two or three nodes");
        }
        boolean isNamed = pool.servers().stream().anyMatch(Server::isNamed);
        if (!pool.cluster() && pool.foreign() == null && pool.servers().size() > 1 && !isNamed) {
            add(
                    Level.NOTE,
                    "places keys by addresses, so a node with another address gets other keys",
                    "give each server a name, if its nodes are still empty");
        }
    }

    private void lookAtPlacement() {
        if (pool.distribution() == Distribution.RANDOM) {
            add(
                    Level.WARNING,
                    "finds no key again, because its distribution is random",
                    "distribution: ketama");
        }
        if (pool.autoEjectHosts()) {
            add(
                    Level.NOTE,
                    "moves keys of a dead node to others, and back later: what was written"
                            + " meanwhile is lost or old",
                    "only for a cache");
        }
        if (pool.servers().size() > 1 && pool.foreign() == null && pool.hash() == Hash.FNV1A_64) {
            add(
                    Level.NOTE,
                    "has the hash fnv1a_64, which puts long runs of counted keys on one node",
                    "hash: murmur, if its nodes are still empty; onehop spread shows your keys");
        }
    }

    private void lookAtShares() {
        PoolTopology topology = PoolTopology.of(pool);
        double[] shares = topology.shares();
        double weights = topology.nodes().stream().mapToInt(Node::weight).sum();
        for (Server server : pool.servers()) {
            Node node = Objects.requireNonNull(topology.find(server.name()));
            double share = shares[node.index()];
            double meant = node.weight() / weights;
            if (pool.distribution() != Distribution.RANDOM && share == 0) {
                add(
                        Level.WARNING,
                        server.line(),
                        "gives node "
                                + node.name()
                                + " no keys: its weight is too small beside the others",
                        "make the weights more alike");
            } else if (Math.abs(share / meant - 1) > UNEVEN) {
                add(
                        Level.NOTE,
                        server.line(),
                        "gives node "
                                + node.name()
                                + " "
                                + Screen.percent(share)
                                + " of all keys, where its weight says "
                                + Screen.percent(meant),
                        "");
            }
        }
    }
}
