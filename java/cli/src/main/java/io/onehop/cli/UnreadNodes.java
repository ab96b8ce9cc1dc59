package io.onehop.cli;

import io.onehop.core.Node;

import redis.clients.jedis.exceptions.JedisException;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The nodes whose keys were not all read, and why. An answer about the other nodes is still useful
 * if it says what is missing.
 */
final class UnreadNodes {

    /** Something to ask a node. */
    interface Question {
        void ask() throws Refusal;
    }

    private final Map<Node, String> why = new LinkedHashMap<>();

    void attempt(Node node, Question question) {
        try {
            question.ask();
        } catch (Refusal | JedisException failure) {
            why.put(node, String.valueOf(failure.getMessage()));
        }
    }

    /** Refuses to answer if all of these nodes are unread. */
    void requireSome(List<Node> asked) throws Refusal {
        if (!asked.isEmpty() && why.keySet().containsAll(asked)) {
            Node first = why.keySet().iterator().next();
            String reason = String.valueOf(why.get(first));
            String of = reason.contains(first.name()) ? "" : "node " + first.name() + ": ";
            throw new Refusal(ExitStatus.NO_ANSWER, of + reason);
        }
    }

    /** The exit status of a command: {@code otherwise} if no node is unread. */
    int status(int otherwise) {
        return why.isEmpty() ? otherwise : ExitStatus.NO_ANSWER;
    }

    void print(Screen screen) {
        why.forEach(
                (node, reason) ->
                        screen.line(
                                "%s: not all of its keys were read: %s",
                                Screen.plain(node.name()), Screen.plain(reason)));
    }

    /** The reasons, by the names of the nodes. */
    Map<String, String> json() {
        Map<String, String> reasons = new LinkedHashMap<>();
        why.forEach((node, reason) -> reasons.put(node.name(), reason));
        return reasons;
    }
}
