/**
 * The hash functions, one per file, with one signature. {@link io.onehop.core.Hash} has their
 * names. spec/hash.
 */
package io.onehop.core.hash;
