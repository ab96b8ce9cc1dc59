package io.onehop.core.command;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The steps that bring one key from its old owner to its owner, without I/O. {@link #next} returns
 * what to send, and {@link #take} gets the replies. This is repeated as long as {@link #end} is
 * {@link End#NONE}.
 *
 * <p>For one thread. Implements spec/topology/moving.md, section 2, "Bringing";
 * spec/tools/reference/moving.py is the reference.
 */
public final class Bring {
    private static final Pattern RUN_ID =
            Pattern.compile("^run_id:(\\S+)", Pattern.MULTILINE | Pattern.UNIX_LINES);
    private static final long MISSING = -2;
    private static final long NO_END = -1; // PTTL answers this; RESTORE takes 0 instead.

    /** How bringing the key has ended. */
    public enum End {
        /** Not yet. */
        NONE,
        /** If the key exists, it is at its owner. */
        BROUGHT,
        /** A node has refused a step. Its error is the answer to the caller's command. */
        ANSWERED,
        /** A node has failed. */
        FAILED,
        /** One of the nodes names no run_id, so it is unknown whether both are one server. */
        NAMELESS
    }

    /** A command for the old owner, or for the owner. */
    public record Question(boolean isOfOld, byte[][] words) {}

    /** An error that a node answered; {@code cause} is the caller's own form of it. */
    public record Refusal(String text, Object cause) {}

    /** A node has failed. {@code isUnsent}: it has certainly not received the command. */
    public record Lost(boolean isUnsent, Object cause) {}

    /**
     * Where MIGRATE sends a key, and how.
     *
     * @param timeoutMs at least 1
     * @param auth AUTH or AUTH2 with its arguments, or nothing
     */
    public record Target(String host, int port, int database, long timeoutMs, List<String> auth) {

        /** The {@code auth} of a server pool with this user and password, if it has them. */
        public static List<String> auth(@Nullable String user, @Nullable String password) {
            if (password == null) {
                return List.of();
            }
            return user == null ? List.of("AUTH", password) : List.of("AUTH2", user, password);
        }
    }

    private enum Step {
        MIGRATE,
        DUMP,
        RESTORE,
        COMPARE,
        UNLINK,
        LOOK
    }

    private final byte[] key;
    private final @Nullable Target target;
    private Step step;
    private End end = End.NONE;
    private boolean cannotMigrate;
    private byte[] value = {};
    private long ttlMs;
    private @Nullable Object cause;
    private boolean isOldFailed;

    /** {@code target} is {@code null} if the old owner may not migrate. */
    public Bring(byte[] key, @Nullable Target target) {
        this.key = key;
        this.target = target;
        this.step = target == null ? Step.DUMP : Step.MIGRATE;
    }

    public byte[] key() {
        return key;
    }

    /* ---- Asking ---- */

    /** The commands of the next round. */
    public List<Question> next() {
        return switch (step) {
            case MIGRATE -> List.of(new Question(true, migrate()));
            case DUMP -> List.of(old("DUMP"), old("PTTL"));
            case RESTORE ->
                    List.of(
                            new Question(
                                    false,
                                    new byte[][] {
                                        bytes("RESTORE"),
                                        key,
                                        bytes(
                                                String.valueOf(
                                                        ttlMs == NO_END ? 0 : Math.max(ttlMs, 1))),
                                        value
                                    }));
            case COMPARE -> List.of(info(true), info(false));
            case UNLINK -> List.of(old("UNLINK"));
            case LOOK -> List.of(new Question(false, new byte[][] {bytes("EXISTS"), key}));
        };
    }

    private byte[][] migrate() {
        if (target == null) {
            throw new IllegalStateException("no step of MIGRATE without a target");
        }
        List<byte[]> words = new ArrayList<>();
        words.add(bytes("MIGRATE"));
        words.add(bytes(target.host()));
        words.add(bytes(String.valueOf(target.port())));
        words.add(key);
        words.add(bytes(String.valueOf(target.database())));
        words.add(bytes(String.valueOf(target.timeoutMs())));
        target.auth().forEach(word -> words.add(bytes(word)));
        return words.toArray(byte[][]::new);
    }

    private Question old(String command) {
        return new Question(true, new byte[][] {bytes(command), key});
    }

    private static Question info(boolean isOfOld) {
        return new Question(isOfOld, new byte[][] {bytes("INFO"), bytes("server")});
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /* ---- Answers ---- */

    /**
     * Takes a reply to each command of the round: a {@code Long}, {@code byte[]}, {@code null}, a
     * {@link Refusal}, or a {@link Lost}.
     */
    public void take(List<?> replies) {
        Object first = replies.get(0);
        switch (step) {
            case MIGRATE -> migrated(first);
            case DUMP -> dumped(first, replies.get(1));
            case RESTORE -> restored(first);
            case COMPARE -> compared(first, replies.get(1));
            case UNLINK -> unlinked(first);
            case LOOK -> looked(first);
        }
    }

    private void migrated(@Nullable Object reply) {
        if (reply instanceof Lost lost) {
            cannotMigrate = !lost.isUnsent(); // Perhaps the old owner waits for the owner.
            lost(lost, lost.isUnsent());
        } else if (isText(reply, "OK") || isText(reply, "NOKEY")) {
            end = End.BROUGHT;
        } else if (reply instanceof Refusal refusal && refusal.text().contains("BUSYKEY")) {
            step = Step.COMPARE;
        } else {
            cannotMigrate = true;
            step = Step.DUMP;
        }
    }

    private void dumped(@Nullable Object dump, @Nullable Object ttl) {
        Lost lost = dump instanceof Lost one ? one : ttl instanceof Lost other ? other : null;
        if (lost != null) {
            lost(lost, lost.isUnsent() && !cannotMigrate);
        } else if (!isRefused(dump) && !isRefused(ttl)) {
            if (dump == null || Long.valueOf(MISSING).equals(ttl)) {
                end = End.BROUGHT;
            } else {
                value = (byte[]) dump;
                ttlMs = ttl instanceof Long left ? left : 0;
                step = Step.RESTORE;
            }
        }
    }

    private void restored(@Nullable Object reply) {
        if (reply instanceof Lost lost) {
            fail(lost, false);
        } else if (reply instanceof Refusal refusal && refusal.text().startsWith("BUSYKEY")) {
            step = Step.COMPARE;
        } else if (!isRefused(reply)) {
            step = Step.UNLINK;
        }
    }

    /** Both nodes have the key. Unless both are one server, the value at the old owner is old. */
    private void compared(@Nullable Object old, @Nullable Object owner) {
        if (old instanceof Lost lost) {
            fail(lost, true);
        } else if (isRefused(old)) {
            return;
        } else if (owner instanceof Lost lost) {
            fail(lost, false);
        } else if (!isRefused(owner)) {
            compare(runId(old), runId(owner));
        }
    }

    private void compare(@Nullable String old, @Nullable String owner) {
        if (old == null || owner == null) {
            end = End.NAMELESS;
            isOldFailed = old == null;
        } else {
            end = old.equals(owner) ? End.BROUGHT : End.NONE;
            step = Step.UNLINK;
        }
    }

    private void unlinked(@Nullable Object reply) {
        if (reply instanceof Lost lost) {
            fail(lost, true);
        } else if (!isRefused(reply)) {
            end = End.BROUGHT;
        }
    }

    /** The old owner is down. If the owner has the key, the old owner has nothing. */
    private void looked(@Nullable Object reply) {
        if (reply instanceof Lost lost) {
            fail(lost, false);
        } else if (!isRefused(reply)) {
            end = Long.valueOf(1).equals(reply) ? End.BROUGHT : End.FAILED;
        }
    }

    private void lost(Lost lost, boolean mayLook) {
        fail(lost, true);
        if (mayLook) {
            end = End.NONE;
            step = Step.LOOK;
        }
    }

    private void fail(Lost lost, boolean isOfOld) {
        end = End.FAILED;
        cause = lost.cause();
        isOldFailed = isOfOld;
    }

    private boolean isRefused(@Nullable Object reply) {
        if (reply instanceof Refusal refusal) {
            end = End.ANSWERED;
            cause = refusal.cause();
            return true;
        }
        return false;
    }

    private static boolean isText(@Nullable Object reply, String text) {
        return reply instanceof byte[] bytes
                && text.equals(new String(bytes, StandardCharsets.ISO_8859_1));
    }

    private static @Nullable String runId(@Nullable Object reply) {
        if (!(reply instanceof byte[] text)) {
            return null;
        }
        Matcher found = RUN_ID.matcher(new String(text, StandardCharsets.ISO_8859_1));
        return found.find() ? found.group(1) : null;
    }

    /* ---- How it ended ---- */

    public End end() {
        return end;
    }

    /** The caller's own form of the error or the failure that ended the steps. */
    public @Nullable Object cause() {
        return cause;
    }

    /** True if it is the old owner, and not the owner, that has failed or is nameless. */
    public boolean isOldFailed() {
        return isOldFailed;
    }

    /** True if the old owner has just shown that it cannot migrate. */
    public boolean cannotMigrate() {
        return cannotMigrate;
    }
}
