package io.onehop.core;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * Where every key of a server pool is: the nodes of the pool, and which of them has a key and why.
 *
 * <p>Immutable, for any thread; a change makes another topology. Only clients implement it.
 */
public interface Topology {

    /**
     * The node that has a key.
     *
     * @param key the key
     * @return its node
     */
    Node locate(byte[] key);

    /**
     * The node that has the key of this text, which is encoded as UTF-8.
     *
     * @param key the key
     * @return its node
     */
    Node locate(String key);

    /**
     * The steps by which {@link #locate} finds the node.
     *
     * @param key the key
     * @return the steps
     */
    Explanation explain(byte[] key);

    /**
     * The steps by which {@link #locate} finds the node of this text, which is encoded as UTF-8.
     *
     * @param key the key
     * @return the steps
     */
    Explanation explain(String key);

    /**
     * All nodes, also ejected ones.
     *
     * @return the nodes in the order of their indexes
     */
    List<Node> nodes();

    /**
     * The node of that name.
     *
     * @param name the name, as in the configuration
     * @return the node, or {@code null} if there is none
     */
    @SuppressWarnings("exports") // Programs compile without the annotations.
    @Nullable Node find(String name);

    /**
     * Shows whether two processes, in any language, place keys alike: they do if their fingerprints
     * are equal. Ejection does not change the fingerprint.
     *
     * @return 32 hexadecimal digits
     */
    String fingerprint();
}
