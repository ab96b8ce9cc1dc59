/**
 * The hash functions, one per file behind one signature. {@link io.onehop.core.Hash} has their
 * names. spec/hash.
 */
package io.onehop.core.hash;
