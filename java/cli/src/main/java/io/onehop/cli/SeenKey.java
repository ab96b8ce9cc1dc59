package io.onehop.cli;

import io.onehop.core.Node;

import org.jspecify.annotations.Nullable;

/**
 * A key of a file, or one that was found on a node.
 *
 * @param key the key
 * @param count how many keys it stands for, more than 1 in a sample
 * @param bytes its memory; 0 if that is not known
 * @param holder the node on which it was found; {@code null} for a key of a file
 */
record SeenKey(byte[] key, double count, double bytes, @Nullable Node holder) {}
