package io.onehop.core;

import java.util.List;

/**
 * Where every key of a server pool is: its nodes, and which of them has a key and why.
 *
 * <p>Immutable, for any thread: a change makes another one. Clients make it; nobody else is to.
 */
public interface Topology {

    /** The node that has a key. */
    Node locate(byte[] key);

    /** The node that has a key, taken as UTF-8. */
    Node locate(String key);

    /** What {@link #locate} does, told step by step. */
    Explanation explain(byte[] key);

    /** What {@link #locate} does, told step by step. */
    Explanation explain(String key);

    /** All nodes, ejected ones too, in the order of their indexes. */
    List<Node> nodes();

    /** The node of that name, or {@code null}. */
    Node find(String name);

    /**
     * 32 hexadecimal digits, equal in two processes exactly if they place keys alike, whatever
     * their language. Ejection does not change it.
     */
    String fingerprint();
}
