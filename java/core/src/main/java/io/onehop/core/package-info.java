/**
 * What a program meets of the core: where keys are, and by which names. The values of the lowest
 * layer, and one interface, {@link io.onehop.core.Topology}.
 *
 * <p>All else of the core is in packages for the clients alone, each above the ones it uses:
 *
 * <pre>
 *  nutcracker.yml ─► config ─► topology (ServerPool, PoolTopology) ─► Node
 *                                  ▲            ▲
 *                    key ─► key, hash ─► placement   cluster: a Redis Cluster's own map
 *
 *  base: bounds and time    command: the table of commands    ssdb: SSDB's dialect
 *  wire: framing of replies    health: is a node worth asking
 * </pre>
 *
 * <p>Everything is immutable or static and safe for any thread; nothing is resolved, connected or
 * logged. Failures are an exception with a reason, or an {@link java.lang.IllegalArgumentException}
 * where the caller is wrong. The rules are in spec/, the same for C and Java.
 */
package io.onehop.core;
