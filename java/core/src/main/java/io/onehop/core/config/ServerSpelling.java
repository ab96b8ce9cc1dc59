package io.onehop.core.config;

import io.onehop.core.base.Limits;
import io.onehop.core.topology.Directive;
import io.onehop.core.topology.Directive.Fault;
import io.onehop.core.topology.Server;

import org.jspecify.annotations.Nullable;

/**
 * One element of {@code servers}: {@code host:port:weight [name]} or {@code /path:weight [name]},
 * parsed from the right.
 *
 * <p>A server without a name of its own is named {@code host:port} as spelled; {@code host} alone
 * if the port is 11211 (libmemcached's rule, in redis pools, too); or {@code /path:} with the
 * colon. Implements spec/config, section 7.
 */
final class ServerSpelling {
    private static final int PORT_LEFT_OUT = 11211;

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

    static Server read(String text, int line) throws Fault {
        return taken(text).checked(line);
    }

    private static ServerSpelling taken(String text) throws Fault {
        boolean isPath = text.startsWith("/");
        int space = text.lastIndexOf(' ');
        String where = space < 0 ? text : text.substring(0, space);
        int beforeWeight = where.lastIndexOf(':');
        int beforePort = where.lastIndexOf(':', beforeWeight - 1);
        if (beforeWeight < 0 || isPath == beforePort >= 0) {
            throw new Fault(
                    "the server is not \"host:port:weight [name]\" or \"/path:weight [name]\"");
        }
        return new ServerSpelling(
                where.substring(0, isPath ? beforeWeight : beforePort),
                isPath ? null : where.substring(beforePort + 1, beforeWeight),
                where.substring(beforeWeight + 1),
                space < 0 ? null : text.substring(space + 1));
    }

    private Server checked(int line) throws Fault {
        int shares = weight();
        if (port != null && !Directive.isPort(port)) {
            throw new Fault("the server has an invalid port");
        }
        checkLength("address", "an", address, Limits.SERVER_ADDRESS_BYTES_MAX);
        checkLength("name", "a", knownAs(), Limits.SERVER_NAME_BYTES_MAX);
        return port == null
                ? new Server(knownAs(), null, 0, address, shares, line)
                : new Server(knownAs(), address, Directive.numberOf(port), null, shares, line);
    }

    private int weight() throws Fault {
        if (!Directive.isDigits(weight)) {
            throw new Fault("the server has an invalid weight");
        }
        int number = Directive.numberOf(weight);
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
        if (Directive.bytesCount(text) > bytesMax) {
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

    private String knownAs() {
        if (name != null) {
            return name;
        }
        if (port == null) {
            return address + ":";
        }
        return Directive.numberOf(port) == PORT_LEFT_OUT ? address : address + ":" + port;
    }
}
