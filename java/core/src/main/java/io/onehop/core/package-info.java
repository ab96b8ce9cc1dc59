/**
 * The part of the core that programs use: where keys are, and the names for that. It has the values
 * of the lowest layer, and one interface, {@link io.onehop.core.Topology}.
 *
 * <p>The other packages of the core are only for the clients. Each package is above those that it
 * uses:
 *
 * <pre>
 *  nutcracker.yml ─► config ─► topology (ServerPool, PoolTopology) ─► Node
 *                                  ▲            ▲
 *                    key ─► key, hash ─► placement   cluster: a Redis Cluster's own map,
 *                                                             or what Sentinels say
 *
 *  base: bounds and time    command: the table of commands    ssdb: SSDB's dialect
 *  resp: framing of replies    health: the circuit breaker of a node
 * </pre>
 *
 * <p>Everything is immutable or static, and safe for any thread. Nothing here resolves names,
 * connects or logs. Failures are exceptions with a reason. A wrong argument is an {@link
 * java.lang.IllegalArgumentException}. The rules are in spec/, the same for C and Java.
 */
package io.onehop.core;
