package io.onehop.core.cluster;

import io.onehop.core.Node;
import io.onehop.core.Role;
import io.onehop.core.base.Limits;
import io.onehop.core.base.Message;
import io.onehop.core.base.Timings;
import io.onehop.core.base.Words;
import io.onehop.core.key.Key;
import io.onehop.core.topology.PoolTopology;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * What to do after a node of a Redis Cluster has redirected a command, or cannot serve it now.
 *
 * <p>The decision is a pure function of the error, the map and what was tried so far. It sends
 * nothing, waits for nothing and reads no clock; the caller has the command, the deadline and the
 * connections. All of these errors mean that the command has not run, so writes are treated like
 * reads. Twin of {@code core/cluster/redirect} in C. Implements spec/route/route.md, section 10.
 *
 * @param action what to do next
 * @param node for FOLLOW and ASK: the target
 * @param slot the slot that the error is about
 * @param hasMoved {@code slot} belongs to {@code node} from now on: {@link PoolTopology#withSlots}
 * @param wantsRefresh the map is old: request a refresh, and do not wait for it
 * @param waitMs for AGAIN: how long to wait
 * @param reason for GIVE_UP: why; otherwise {@code null}
 */
public record Redirect(
        Action action,
        int node,
        int slot,
        boolean hasMoved,
        boolean wantsRefresh,
        int waitMs,
        @Nullable String reason) {

    /** What to do next. */
    public enum Action {
        /** No redirect: the error is the answer. */
        NONE,
        /** Send the command to the node. */
        FOLLOW,
        /** Send ASKING and the command to the node, in one write. The map does not change. */
        ASK,
        /** Wait, then find the key in the newest map, and send the command there. */
        AGAIN,
        /**
         * The map lacks the node. Wait for a refresh, then decide again, with {@link Case#fresh}.
         */
        REFRESH,
        /** The call fails. Its command was not executed. */
        GIVE_UP
    }

    /**
     * An error and what was tried so far.
     *
     * @param error the node's text, without the {@code -}
     * @param asked the node that returned it
     * @param hops how often the command was sent on: FOLLOW and ASK
     * @param tries how often the command has waited: AGAIN
     * @param leftMs milliseconds to the deadline; negative: there is none
     * @param held the connection is dedicated: MULTI, WATCH
     * @param fresh since this error the map was refreshed, or could not be
     * @param chance any number, different each time
     */
    public record Case(
            String error,
            int asked,
            int hops,
            int tries,
            long leftMs,
            boolean held,
            boolean fresh,
            int chance) {}

    private static final Redirect NONE = new Redirect(Action.NONE, 0, 0, false, false, 0, null);
    private static final Message IN_VAIN = Message.REDIRECT_LATE;

    /**
     * True if an error may be a redirect, which means that the command has not run. Only the whole
     * first word of the error counts.
     */
    public static boolean isOne(@Nullable String error) {
        if (error == null) {
            return false;
        }
        String word = word(error);
        return Words.REDIRECT_NAMED.contains(word)
                || Words.REDIRECT_MASTER.contains(word)
                || Words.REDIRECT_BEHIND.contains(word)
                || endsWaits(error)
                || Words.REDIRECT_BUSY.contains(word);
    }

    /**
     * True if the error says that the node has ended the waits at it, because it has become a
     * replica.
     */
    public static boolean endsWaits(String error) {
        return error.startsWith(Words.UNBLOCKED_BY_CHANGE);
    }

    /** The first word of an error, which says what it is. */
    public static String word(String error) {
        int end = error.indexOf(' ');
        return end < 0 ? error : error.substring(0, end);
    }

    public static Redirect decide(PoolTopology map, Case it) {
        String[] words = it.error.split(" ", -1);
        if (!isOne(it.error)) {
            return NONE;
        }
        if (Words.REDIRECT_NAMED.contains(words[0])) {
            boolean isMoved = words[0].equals("MOVED");
            return toNamed(map, it, isMoved ? Action.FOLLOW : Action.ASK, words);
        }
        if (it.held) {
            return held();
        }
        return Words.REDIRECT_MASTER.contains(words[0])
                ? toMaster(map, it)
                : again(it, !Words.REDIRECT_BUSY.contains(words[0]), IN_VAIN);
    }

    private static Redirect giveUp(Message reason) {
        return new Redirect(Action.GIVE_UP, 0, 0, false, true, 0, reason.what());
    }

    private static Redirect held() {
        return giveUp(Message.REDIRECT_HELD);
    }

    private static Redirect again(Case it, boolean wantsRefresh, Message otherwise) {
        int full = it.tries < 5 ? Timings.AGAIN_MS_FIRST << it.tries : Timings.AGAIN_MS_MAX;
        int wait = full / 2 + Integer.remainderUnsigned(it.chance, full / 2 + 1);
        if (it.tries >= Limits.RETRIES_MAX || it.leftMs >= 0 && it.leftMs <= wait) {
            return giveUp(otherwise);
        }
        return new Redirect(Action.AGAIN, 0, 0, false, wantsRefresh, wait, null);
    }

    private static Redirect goTo(Case it, Action action, int node, int slot, boolean hasMoved) {
        if (it.hops >= Limits.REDIRECTS_MAX) {
            return giveUp(Message.REDIRECT_CIRCLE);
        }
        return new Redirect(action, node, slot, hasMoved, hasMoved, 0, null);
    }

    private static Redirect toNamed(PoolTopology map, Case it, Action action, String[] words) {
        int slot = words.length == 3 ? number(words[1], Key.SLOTS_COUNT - 1) : -1;
        String name = slot >= 0 ? name(map, it.asked, words[2]) : null;
        if (name == null) {
            return NONE;
        }
        if (it.held) {
            return held();
        }
        Node node = map.find(name);
        if (node != null && node.index() == it.asked) {
            return again(it, true, IN_VAIN);
        }
        if (node == null) {
            return toUnknown(map, it, action, slot);
        }
        return goTo(it, action, node.index(), slot, action == Action.FOLLOW);
    }

    /**
     * A redirect to a node that the map lacks. The node may be new, or gone: only a refresh can
     * tell. If the refreshed map also lacks the node, there are two cases: the slot's owner in the
     * map is the same node under another name, or the news has not reached all nodes yet.
     */
    private static Redirect toUnknown(PoolTopology map, Case it, Action action, int slot) {
        if (!it.fresh) {
            return new Redirect(Action.REFRESH, 0, slot, false, true, 0, null);
        }
        int owner = map.nodeOfSlot(slot);
        if (action == Action.ASK || !map.isServed(slot) || owner == it.asked) {
            return again(it, true, Message.REDIRECT_UNKNOWN);
        }
        return goTo(it, Action.FOLLOW, owner, slot, false);
    }

    /** Sends the command of a replica that cannot answer now to its master. */
    private static Redirect toMaster(PoolTopology map, Case it) {
        Node node = map.byIndex().get(it.asked);
        return node.role() == Role.REPLICA
                ? goTo(it, Action.FOLLOW, node.master(), 0, false)
                : again(it, true, IN_VAIN);
    }

    /**
     * The name that the map would use for "host:port". If the host is missing, it is the host of
     * the node that was asked.
     */
    private static @Nullable String name(PoolTopology map, int asked, String endpoint) {
        int colon = endpoint.lastIndexOf(':');
        int port = number(endpoint.substring(colon + 1), Limits.PORT_MAX);
        if (colon < 0 || port < 1) {
            return null;
        }
        String host =
                ClusterNodes.host(
                        endpoint.substring(0, colon),
                        "",
                        Objects.requireNonNull(map.byIndex().get(asked).host()));
        return host.isEmpty() || host.length() > Limits.SERVER_ADDRESS_BYTES_MAX
                ? null
                : host + ":" + port;
    }

    /** The number in decimal digits, or -1. */
    private static int number(String digits, int max) {
        int number = 0;
        for (int i = 0; i < digits.length(); i++) {
            if (digits.charAt(i) < '0' || digits.charAt(i) > '9' || number > max) {
                return -1;
            }
            number = number * 10 + digits.charAt(i) - '0';
        }
        return !digits.isEmpty() && number <= max ? number : -1;
    }
}
