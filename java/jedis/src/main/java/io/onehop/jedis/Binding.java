package io.onehop.jedis;

/**
 * Where a transaction is: the node of its first key.
 *
 * @param index the node's index
 * @param key the key that decided, or {@code null} if none has yet
 */
record Binding(Pool pool, int index, byte[] key) {
}
