package io.onehop.jedis.internal.command;

import io.onehop.core.base.Limits;
import io.onehop.core.command.Command;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The scripts that this client has seen. A node that has lost a script gets it again.
 *
 * <p>In: every EVAL and SCRIPT LOAD of the client. Out: the SCRIPT LOAD that an EVALSHA needs
 * before it. Bounded; the oldest script is forgotten first. Any thread; the lock is never held
 * during I/O. Implements spec/route/route.md, "Scripts".
 */
public final class Scripts {
    private final Object lock = new Object();
    private final Map<String, ByteBuffer> bodies = new LinkedHashMap<>();
    private final Map<ByteBuffer, String> digests = new HashMap<>();

    /** Remembers the script's body, if this command has one. */
    public void saw(Command command, CommandArguments arguments) {
        int position =
                switch (command.name()) {
                    case "eval", "eval_ro" -> 1;
                    case "script|load" -> 2;
                    default -> 0;
                };
        if (position == 0
                || position >= arguments.size()
                || arguments.get(position).getRaw().length > Limits.SCRIPT_BYTES_MAX) {
            return;
        }
        ByteBuffer body = ByteBuffer.wrap(arguments.get(position).getRaw());
        synchronized (lock) {
            if (!digests.containsKey(body)) {
                remember(ByteBuffer.wrap(body.array().clone()));
            }
        }
    }

    private void remember(ByteBuffer body) {
        if (bodies.size() == Limits.SCRIPTS_MAX) {
            String oldest = bodies.keySet().iterator().next();
            digests.remove(bodies.remove(oldest));
        }
        String digest = digest(body.array());
        bodies.put(digest, body);
        digests.put(body, digest);
    }

    private static String digest(byte[] body) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(body));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible); // Every Java platform has SHA-1.
        }
    }

    /**
     * True if a command runs no script. Scripts are not run on replicas, because a replica lacks
     * those that its master was given.
     */
    public static boolean isNoScript(Command command) {
        return !command.name().startsWith("eval") && !command.name().startsWith("fcall");
    }

    /** The digest by which a command runs a script; {@code null} for all other commands. */
    public static @Nullable String digest(Command command, CommandArguments arguments) {
        boolean isByDigest =
                command.name().equals("evalsha") || command.name().equals("evalsha_ro");
        if (!isByDigest || arguments.size() < 2) {
            return null;
        }
        return new String(arguments.get(1).getRaw(), StandardCharsets.ISO_8859_1)
                .toLowerCase(Locale.ROOT);
    }

    /** SCRIPT LOAD with a remembered body, or {@code null}. */
    public @Nullable CommandArguments load(String digest) {
        synchronized (lock) {
            ByteBuffer body = bodies.get(digest);
            return body == null
                    ? null
                    : new CommandArguments(Protocol.Command.SCRIPT).add("LOAD").add(body.array());
        }
    }
}
