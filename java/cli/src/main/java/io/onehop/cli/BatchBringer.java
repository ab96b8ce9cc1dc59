package io.onehop.cli;

import io.onehop.core.Node;
import io.onehop.core.base.Clock;
import io.onehop.core.base.Message;
import io.onehop.core.base.Timings;
import io.onehop.core.command.Bring;
import io.onehop.core.topology.Directive;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.OneHopException;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisDataException;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Brings batches of keys from one old owner to their owners, by one MIGRATE if that is possible.
 * Otherwise each key takes the steps of {@link Bring}, and one write has the next step of many
 * keys.
 *
 * <p>It never uses REPLACE, because a value that the owner has already is newer. For one thread.
 * Implements spec/topology/moving.md, section 8.
 */
final class BatchBringer {
    /*
     * Keys in one write if each key has a MIGRATE of its own. If the node hangs, the caller waits
     * for the timeouts of all of them.
     */
    private static final int ALONE_MAX = 16;
    private static final double BYTES_PER_MS = 50 << 10; // A slow node: about 50 MB a second.

    /* The least wait for DUMP or RESTORE, because the size of a key may be unknown. */
    private static final long SLOW_MS = 10_000;

    /**
     * How a batch ended.
     *
     * @param byHand how many of its keys went by DUMP and RESTORE
     * @param refused the error of each key that a node has refused
     * @param lost the failure of a node, which has ended the batch
     */
    record Result(int byHand, List<String> refused, @Nullable Lost lost) {
        static final Result WELL = new Result(0, List.of(), null);
    }

    /** A node has failed. */
    record Lost(Node node, String why) {}

    private final AskedNodes nodes;
    private final Node old;
    private long migratesAgainNs = Clock.nowNs();

    BatchBringer(AskedNodes nodes, Node old) {
        this.nodes = nodes;
        this.old = old;
    }

    /** Brings keys that have one owner. */
    Result bring(PoolTopology topology, Node owner, List<byte[]> keys, double bytes) {
        Bring.Target target = target(topology, owner, bytes);
        if (target != null && keys.size() > 1) {
            Object reply =
                    ask(old, List.of(migrate(target, keys)), target.timeoutMs(), false).next();
            if (is(reply, "OK") || is(reply, "NOKEY")) {
                return Result.WELL;
            }
            if (reply instanceof Bring.Refusal refusal && !refusal.text().contains("BUSYKEY")) {
                cannotMigrate();
            }
        }
        return bringEach(topology, owner, keys, bytes);
    }

    private Result bringEach(PoolTopology topology, Node owner, List<byte[]> keys, double bytes) {
        List<String> refused = new ArrayList<>();
        int byHand = 0;
        for (int at = 0; at < keys.size(); ) {
            Bring.Target target = target(topology, owner, bytes);
            int end = target == null ? keys.size() : Math.min(keys.size(), at + ALONE_MAX);
            List<Bring> steps =
                    keys.subList(at, end).stream().map(key -> new Bring(key, target)).toList();
            byHand += run(steps, owner, target == null ? 0 : target.timeoutMs(), bytes);
            for (Bring each : steps) {
                if (each.end() == Bring.End.FAILED) {
                    Node lost = each.isOldFailed() ? old : owner;
                    return new Result(
                            byHand, refused, new Lost(lost, String.valueOf(each.cause())));
                }
                if (each.end() == Bring.End.ANSWERED || each.end() == Bring.End.NAMELESS) {
                    refused.add(Screen.shown(each.key()) + ": " + said(each));
                }
            }
            at = end;
        }
        return new Result(byHand, refused, null);
    }

    private static String said(Bring refused) {
        if (refused.end() == Bring.End.NAMELESS) {
            return Message.NO_RUN_ID.what();
        }
        return refused.cause() instanceof JedisDataException error
                ? Screen.plain(error.getMessage())
                : String.valueOf(refused.cause());
    }

    /** Takes all steps of these keys. Returns how many went by DUMP and RESTORE. */
    private int run(List<Bring> all, Node owner, long migrateMs, double bytes) {
        List<Bring> open = new ArrayList<>(all);
        int byHand = 0;
        while (!open.isEmpty()) {
            List<List<Bring.Question>> asked = open.stream().map(Bring::next).toList();
            boolean isSlow = asked.stream().flatMap(List::stream).anyMatch(BatchBringer::isSlow);
            long waitMs = isSlow ? SLOW_MS + wayMs(bytes) : migrateMs * asked.size();
            Iterator<Object> fromOld = ask(old, commands(asked, true), waitMs, isSlow);
            Iterator<Object> fromOwner = ask(owner, commands(asked, false), waitMs, isSlow);
            for (int i = 0; i < asked.size(); i++) {
                List<Object> replies = new ArrayList<>();
                for (Bring.Question each : asked.get(i)) {
                    Object reply = (each.isOfOld() ? fromOld : fromOwner).next();
                    replies.add(reply);
                    byHand += isRestore(each) && is(reply, "OK") ? 1 : 0;
                }
                open.get(i).take(replies);
                if (open.get(i).cannotMigrate()) {
                    cannotMigrate();
                }
            }
            open.removeIf(each -> each.end() != Bring.End.NONE);
        }
        return byHand;
    }

    /**
     * True for DUMP and RESTORE, which carry a value. For a large key they take longer than
     * programs would wait.
     */
    private static boolean isSlow(Bring.Question question) {
        return isRestore(question) || is(question.words()[0], "DUMP");
    }

    private static boolean isRestore(Bring.Question question) {
        return is(question.words()[0], "RESTORE");
    }

    private static boolean is(@Nullable Object reply, String text) {
        return reply instanceof byte[] bytes
                && text.equals(new String(bytes, StandardCharsets.US_ASCII));
    }

    /* ---- MIGRATE ---- */

    /** Where the old owner may send keys by MIGRATE; {@code null} if it may not. */
    private Bring.@Nullable Target target(PoolTopology topology, Node owner, double bytes) {
        ServerPool pool = topology.pool();
        String host = owner.host();
        if (Clock.nowNs() - migratesAgainNs < 0
                || host == null
                || !topology.mayMigrate(old, owner)) {
            return null;
        }
        long timeoutMs = Timings.MIGRATE_MS + wayMs(bytes);
        return new Bring.Target(
                host,
                owner.port(),
                pool.database(),
                timeoutMs,
                Bring.Target.auth(pool.text(Directive.USERNAME), pool.redisAuth()));
    }

    private static long wayMs(double bytes) {
        return (long) (bytes / BYTES_PER_MS);
    }

    private void cannotMigrate() {
        migratesAgainNs = Clock.nowNs() + TimeUnit.MILLISECONDS.toNanos(Timings.MIGRATE_AGAIN_MS);
    }

    private static CommandArguments migrate(Bring.Target to, List<byte[]> keys) {
        CommandArguments command =
                new CommandArguments(Protocol.Command.MIGRATE)
                        .add(to.host())
                        .add(to.port())
                        .add("")
                        .add(to.database())
                        .add(to.timeoutMs());
        to.auth().forEach(command::add);
        command.add("KEYS");
        keys.forEach(command::add);
        return command;
    }

    /* ---- Asking ---- */

    private static List<CommandArguments> commands(
            List<List<Bring.Question>> asked, boolean isOfOld) {
        return asked.stream()
                .flatMap(List::stream)
                .filter(each -> each.isOfOld() == isOfOld)
                .map(each -> command(each.words()))
                .toList();
    }

    private static CommandArguments command(byte[][] words) {
        CommandArguments command = new CommandArguments(() -> words[0]);
        for (int i = 1; i < words.length; i++) {
            command.add(words[i]);
        }
        return command;
    }

    /** A node's replies, in the form that {@link Bring} takes. */
    private Iterator<Object> ask(
            Node node, List<CommandArguments> commands, long waitMs, boolean isSlow) {
        if (commands.isEmpty()) {
            return Collections.emptyIterator();
        }
        try {
            List<Object> replies = new ArrayList<>();
            for (Object each :
                    isSlow
                            ? nodes.askPatiently(node, commands, waitMs)
                            : nodes.askAll(node, commands, waitMs)) {
                replies.add(
                        each instanceof JedisDataException error
                                ? new Bring.Refusal(String.valueOf(error.getMessage()), error)
                                : each);
            }
            return replies.iterator();
        } catch (OneHopException failure) {
            return lost(commands, !failure.mayHaveExecuted(), failure.getMessage());
        } catch (Refusal late) {
            return lost(commands, false, late.line());
        }
    }

    private static Iterator<Object> lost(
            List<CommandArguments> commands, boolean isUnsent, @Nullable String why) {
        Object lost = new Bring.Lost(isUnsent, String.valueOf(why));
        return Collections.nCopies(commands.size(), lost).iterator();
    }
}
