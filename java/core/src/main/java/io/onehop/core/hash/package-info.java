/** The hash functions, one per file behind one signature. Use them through {@link io.onehop.core.Hash}. spec/hash. */
package io.onehop.core.hash;
