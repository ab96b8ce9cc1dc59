package io.onehop.core.config;

import io.onehop.core.base.Limits;
import io.onehop.core.placement.Foreign;
import io.onehop.core.placement.Foreign.Trait;
import io.onehop.core.topology.DirectiveValue;
import io.onehop.core.topology.DirectiveValue.Fault;
import io.onehop.core.topology.Server;
import io.onehop.core.topology.Server.Replica;

import org.jspecify.annotations.Nullable;

import java.util.BitSet;
import java.util.Objects;

/**
 * One element of {@code servers}: {@code host:port:weight [name]} or {@code /path:weight [name]};
 * of {@code sentinels}: {@code host:port}; of {@code replicas}: {@code host:port name}; or of
 * {@code host_zones}: {@code host zone}. All are parsed from the right.
 *
 * <p>In a OneHop pool the weight may be absent, and a host may stand in brackets.
 *
 * <p>A server without a name of its own is named {@code host:port} as spelled; {@code host} alone
 * if the port is 11211 (libmemcached's rule, in redis pools, too); or {@code /path:} with the
 * colon. Implements spec/config, section 7.
 */
final class ServerSpelling {
    private static final int PORT_LEFT_OUT = 11211;
    private static final String WEIGHT_NEEDED =
            " (the weight may be absent in a pool with \"engine: redis\")";

    private final String address;
    private final @Nullable String port;
    private final String weight;

    /** {@code null} if the server has no name of its own. */
    private final @Nullable String name;

    private ServerSpelling(
            String address, @Nullable String port, String weight, @Nullable String name) {
        this.address = address;
        this.port = port;
        this.weight = weight;
        this.name = name;
    }

    /** A server of a pool of nutcracker. */
    static Server read(String text, int line) throws Fault {
        return taken(text, ":weight", WEIGHT_NEEDED).checked(line, null);
    }

    /** A server of a OneHop pool. {@code foreign}: the client that its distribution is from. */
    static Server readOwn(String text, int line, Foreign.@Nullable Row foreign) throws Fault {
        boolean hasSlots = foreign != null && foreign.has(Trait.SLOTS);
        checkSlips(text, hasSlots);
        return taken(completed(text, hasSlots ? "" : "1"), "[:weight]", "").checked(line, foreign);
    }

    /** A Sentinel, {@code host:port}: a server of that name. */
    static Server readSentinel(String text, int line) throws Fault {
        return hostAndPort(text, "sentinel", "", line);
    }

    /** A replica, {@code host:port NAME}. */
    static Replica readReplica(String text) throws Fault {
        int space = text.lastIndexOf(' ');
        String master = text.substring(space + 1);
        if (master.isEmpty()) {
            throw new Fault("the replica is not \"host:port name\"");
        }
        Server address = hostAndPort(text.substring(0, Math.max(0, space)), "replica", " name", 0);
        return new Replica(Objects.requireNonNull(address.host()), address.port(), master);
    }

    /** The zone of a host. */
    record HostZone(String host, String zone) {}

    /** A zone, {@code HOST ZONE}. */
    static HostZone readHostZone(String text) throws Fault {
        int space = text.lastIndexOf(' ');
        String host = text.substring(0, Math.max(0, space));
        String zone = text.substring(space + 1);
        if (host.length() > 2 && host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        if (host.isEmpty() || zone.isEmpty() || host.indexOf(' ') >= 0) {
            throw new Fault("the zone is not \"host zone\"");
        }
        checkLength(host, "zone");
        return new HostZone(host, zone);
    }

    private static void checkLength(String host, String what) throws Fault {
        if (DirectiveValue.bytesCount(host) > Limits.SERVER_ADDRESS_BYTES_MAX) {
            throw new Fault(
                    "the "
                            + what
                            + " has an address longer than "
                            + Limits.SERVER_ADDRESS_BYTES_MAX
                            + " bytes");
        }
    }

    private static Server hostAndPort(String text, String what, String rest, int line)
            throws Fault {
        int bracket = text.indexOf(']');
        boolean hasBrackets =
                bracket > 1 && text.startsWith("[") && text.startsWith(":", bracket + 1);
        String name = hasBrackets ? text.substring(1, bracket) + text.substring(bracket + 1) : text;
        int colon = name.lastIndexOf(':');
        if (colonsOf(text) != 1 || name.indexOf(' ') >= 0) {
            throw new Fault("the " + what + " is not \"host:port" + rest + "\"");
        }
        String host = name.substring(0, colon);
        String port = name.substring(colon + 1);
        if (!DirectiveValue.isPort(port)) {
            throw new Fault("the " + what + " has an invalid port");
        }
        if (host.isEmpty()) {
            throw new Fault("the " + what + " has an empty address");
        }
        checkLength(host, what);
        return new Server(name, host, DirectiveValue.numberOf(port), null, 1, line, true);
    }

    /** Refuses a spelling that nutcracker would read as another server than was meant. */
    private static void checkSlips(String text, boolean mayHaveCommas) throws Fault {
        String where = front(text);
        if (where.startsWith("/")) {
            return;
        }
        if (where.contains("://")) {
            throw new Fault("the server is a URL, not \"host:port\"");
        }
        if (!mayHaveCommas && where.indexOf(',') >= 0) {
            throw new Fault("the server has a comma: each server is an item of its own");
        }
        if (colonsOf(where) > 2) {
            throw new Fault("the server needs brackets around its host, as in \"[::1]:6379\"");
        }
    }

    /** The part before the name; without a name the whole text. */
    private static String front(String text) {
        int space = text.lastIndexOf(' ');
        return space < 0 ? text : text.substring(0, space);
    }

    private static boolean hasBrackets(String where) {
        return where.startsWith("[") && where.startsWith(":", where.indexOf(']') + 1);
    }

    /** How many colons there are: after a host in brackets; without brackets in the whole text. */
    private static long colonsOf(String where) {
        String afterHost = hasBrackets(where) ? where.substring(where.indexOf(']')) : where;
        return afterHost.chars().filter(character -> character == ':').count();
    }

    /**
     * The same server in the form that nutcracker expects: without brackets, and with a weight, or
     * slots.
     */
    private static String completed(String text, String weight) {
        String where = front(text);
        int bracket = where.indexOf(']');
        return (hasBrackets(where)
                        ? where.substring(1, bracket) + where.substring(bracket + 1)
                        : where)
                + (colonsOf(where) == (text.startsWith("/") ? 0 : 1) ? ":" + weight : "")
                + text.substring(where.length());
    }

    /**
     * Takes a server apart. {@code weight}: how a reason shows the weight in the form of a server;
     * {@code needed}: what a reason adds about the weight.
     */
    private static ServerSpelling taken(String text, String weight, String needed) throws Fault {
        boolean isPath = text.startsWith("/");
        int space = text.lastIndexOf(' ');
        String where = space < 0 ? text : text.substring(0, space);
        int beforeWeight = where.lastIndexOf(':');
        int beforePort = where.lastIndexOf(':', beforeWeight - 1);
        if (beforeWeight < 0 || isPath == beforePort >= 0) {
            throw new Fault(
                    String.format(
                            "the server is not \"host:port%s [name]\" or \"/path%s [name]\"%s",
                            weight, weight, needed));
        }
        return new ServerSpelling(
                where.substring(0, isPath ? beforeWeight : beforePort),
                isPath ? null : where.substring(beforePort + 1, beforeWeight),
                where.substring(beforeWeight + 1),
                space < 0 ? null : text.substring(space + 1));
    }

    private Server checked(int line, Foreign.@Nullable Row foreign) throws Fault {
        BitSet slots = foreign != null && foreign.has(Trait.SLOTS) ? slots() : new BitSet();
        int shares = slots.isEmpty() ? weight() : slots.cardinality();
        if (port != null && !DirectiveValue.isPort(port)) {
            throw new Fault("the server has an invalid port");
        }
        checkLength("address", "an", address, Limits.SERVER_ADDRESS_BYTES_MAX);
        String knownAs = knownAs(foreign != null && !foreign.has(Trait.SHORT_NAMES));
        checkLength("name", "a", knownAs, Limits.SERVER_NAME_BYTES_MAX);
        boolean isNamed = name != null;
        return port == null
                ? new Server(knownAs, null, 0, address, shares, line, isNamed, slots)
                : new Server(
                        knownAs,
                        address,
                        DirectiveValue.numberOf(port),
                        null,
                        shares,
                        line,
                        isNamed,
                        slots);
    }

    /** Numbers and ranges of them, separated by commas. There is at least one slot. */
    private BitSet slots() throws Fault {
        BitSet slots = new BitSet();
        for (String part : weight.split(",", -1)) {
            int dash = part.lastIndexOf('-');
            int first = slot(dash < 0 ? part : part.substring(0, dash));
            int last = slot(part.substring(dash + 1));
            if (first < 0 || last < first) {
                throw new Fault("the server has no slots as in \"host:port:0-511,600 [name]\"");
            }
            slots.set(first, last + 1);
        }
        return slots;
    }

    /** The number of a slot, or -1. */
    private static int slot(String text) {
        int number = DirectiveValue.isDigits(text) ? DirectiveValue.numberOf(text) : -1;
        return number < Foreign.SLOTS ? number : -1;
    }

    private int weight() throws Fault {
        if (!DirectiveValue.isDigits(weight)) {
            throw new Fault("the server has an invalid weight");
        }
        int number = DirectiveValue.numberOf(weight);
        if (number == 0) {
            throw new Fault("the server has weight 0");
        }
        if (number < 0) {
            throw new Fault("the server has a weight larger than " + Limits.NUMBER_MAX);
        }
        return number;
    }

    private static void checkLength(String what, String article, String text, int bytesMax)
            throws Fault {
        if (text.isEmpty()) {
            throw new Fault("the server has an empty " + what);
        }
        if (DirectiveValue.bytesCount(text) > bytesMax) {
            throw new Fault(
                    "the server has "
                            + article
                            + " "
                            + what
                            + " longer than "
                            + bytesMax
                            + " bytes");
        }
    }

    private String knownAs(boolean hasLongNames) {
        if (name != null) {
            return name;
        }
        if (hasLongNames) {
            return port == null ? address : address + ":" + port;
        }
        if (port == null) {
            return address + ":";
        }
        return DirectiveValue.numberOf(port) == PORT_LEFT_OUT ? address : address + ":" + port;
    }
}
