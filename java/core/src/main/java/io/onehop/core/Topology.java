package io.onehop.core;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * Where every key of a server pool is: its nodes, and which of them has a key and why.
 *
 * <p>Immutable, for any thread; a change makes another topology. Only clients implement it.
 */
public interface Topology {

    /** The node that has a key. */
    Node locate(byte[] key);

    /** The node that has a key, encoded as UTF-8. */
    Node locate(String key);

    /** The steps by which {@link #locate} finds the node. */
    Explanation explain(byte[] key);

    /** The steps by which {@link #locate} finds the node of a key, encoded as UTF-8. */
    Explanation explain(String key);

    /** All nodes in the order of their indexes, also ejected ones. */
    List<Node> nodes();

    /** The node of that name, or {@code null}. */
    @SuppressWarnings("exports") // Programs compile without the annotations.
    @Nullable Node find(String name);

    /**
     * 32 hexadecimal digits. They are equal in two processes, of any language, exactly if both
     * place keys alike. Ejection does not change them.
     */
    String fingerprint();
}
