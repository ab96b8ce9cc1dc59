package io.onehop.jedis;

import io.onehop.core.ErrorKind;
import io.onehop.core.ErrorKind.Outcome;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Some nodes of a batch answered and some failed. The exception has the replies that arrived.
 *
 * <p>A batch is a pipeline, or one command for several nodes. If nothing arrived at all, the first
 * failure itself is thrown instead.
 */
public final class PartialBatch extends OneHopException {
    private static final long serialVersionUID = 1;

    private final transient List<Object> replies;
    private final transient Map<String, OneHopException> failures;

    /**
     * Constructs the exception. OneHop does that, and tests of a program may, too.
     *
     * @param message what happened, and what to do
     * @param replies the replies in the caller's order, with the failure in place of a missing one
     * @param failures the failures by the names of their nodes; at least one
     */
    public PartialBatch(
            String message, List<Object> replies, Map<String, OneHopException> failures) {
        super(
                ErrorKind.PARTIAL_BATCH,
                message,
                failures.size() == 1 ? failures.keySet().iterator().next() : null,
                Outcome.MAYBE_EXECUTED,
                failures.values().iterator().next());
        this.replies = Collections.unmodifiableList(replies);
        this.failures = Collections.unmodifiableMap(new LinkedHashMap<>(failures));
    }

    /**
     * The replies in the caller's order. In place of a failed part there is its {@link
     * OneHopException}.
     *
     * <p>A pipeline has one element for each command, as its {@code Response} returns it; an error
     * that the node answered is a {@code JedisDataException}. MGET has an element for each key.
     * MSET has the element {@code "OK"} for each pair. DEL, UNLINK, TOUCH and EXISTS count, so they
     * have a single element: the sum of the nodes that answered.
     *
     * @return the replies; unmodifiable
     */
    public List<Object> getReplies() {
        return replies;
    }

    /**
     * The failures by the names of their nodes.
     *
     * @return at least one, in node order; unmodifiable
     */
    public Map<String, OneHopException> getFailures() {
        return failures;
    }
}
