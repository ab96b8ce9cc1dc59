package io.onehop.jedis.internal.command;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.SafeEncoder;

import java.util.Locale;

/**
 * CLIENT SETNAME, GETNAME and SETINFO of a program. Connections are shared, so the name belongs to
 * the client object, and nothing is sent. Any thread. Implements spec/wire, section 8.
 */
public final class OwnName {
    private static final byte[] OK = SafeEncoder.encode("OK");

    /** The reply of a server to such a command; {@code null} is nil. */
    public record Answer(byte @Nullable [] reply) {}

    private volatile byte @Nullable [] name;

    /** The answer to this command; {@code null} if it is none of these three. */
    public @Nullable Answer to(CommandArguments arguments) {
        if (arguments.getCommand() != Command.CLIENT || arguments.size() < 2) {
            return null;
        }
        String verb = word(arguments, 1);
        if (verb.equals("setname") && arguments.size() == 3) {
            byte[] given = visible(arguments, "Client names");
            name = given.length == 0 ? null : given;
            return new Answer(OK);
        }
        if (verb.equals("setinfo") && arguments.size() == 4) {
            String field = word(arguments, 2);
            if (!field.equals("lib-name") && !field.equals("lib-ver")) {
                throw new JedisDataException("ERR Unrecognized option '" + field + "'");
            }
            visible(arguments, field);
            return new Answer(OK);
        }
        return verb.equals("getname") && arguments.size() == 2 ? new Answer(name) : null;
    }

    private static String word(CommandArguments arguments, int index) {
        return SafeEncoder.encode(arguments.get(index).getRaw()).toLowerCase(Locale.ROOT);
    }

    /** The last word. Throws a server's error if it has a byte that is not visible ASCII. */
    private static byte[] visible(CommandArguments arguments, String what) {
        byte[] text = arguments.get(arguments.size() - 1).getRaw();
        for (byte each : text) {
            if (each < '!' || each > '~') {
                throw new JedisDataException(
                        "ERR " + what + " cannot contain spaces, newlines or special characters.");
            }
        }
        return text.clone();
    }
}
