/**
 * Where keys live, without a socket: configuration, topology, placement, and what all rooms share.
 *
 * <pre>
 *  nutcracker.yml ─► Config ─► ServerPool ─► PoolTopology ─► Node
 *                                              ▲
 *                    key ─► Key (hash tag) ─► Hash ─► placement
 * </pre>
 *
 * <p>Everything here is immutable or static and safe for any thread; nothing is resolved, connected or logged.
 * Failures are a {@link io.onehop.core.ConfigException} with line and reason, or an {@link
 * java.lang.IllegalArgumentException} where the caller is wrong. The rules are in spec/, the same for C and Java.
 */
package io.onehop.core;
