/**
 * The Java client: Jedis speaks the protocol, this package decides where a command goes, over which
 * connection, by when, all nodes at once, and whether what came back may be believed.
 *
 * <pre>
 *  OneHopClient ─► CurrentRoute: which Snapshot (topology, pools) a call, a batch, a transaction goes by to its end
 *
 *  UnifiedJedis' method ─► CommandArguments ─► Intake ─► Plan ───┬─► Exchange ──► one node: lease, exchange, settle
 *                          (RoutedArguments)   the table  (Keys) └─► Batches ─► several nodes at once, a Lane for each
 *                                                                      ▲        (Scatter; Merge: their replies as one)
 *  pipelined() ─► Pipeline: encoded at append, one Lane per node ──────┘
 *  transaction() ─► Transaction ─► Held: one connection from WATCH or EXEC to the end
 *  subscribe() ─► Subscription ─► SubscribedNode: one connection per node that has its channels
 *  onEachNode(), onNode() ─► EachNode          SCAN ─► Scan          EVALSHA ─► Scripts
 *
 *  Lane, Exchange ─► Pool (one per node) ─► Seats ─► NodeConnection (Jedis' Connection)
 *     │            └─ Looks: now and then           └─► ReplyStream ─► ReplyGuard ─► NodeSocket
 *     ├─► NodeHealth: may it be asked?
 *     └─► NodeMeter: what became of it ─► status(), OneHopMetrics
 * </pre>
 *
 * <p>This package is what users meet, and it alone is exported. The engine is beneath, in packages
 * that are layers; each uses only those before it:
 *
 * <pre>
 *  failure ◄─ request ◄─ command ◄─ connection ◄─ pool ◄─ snapshot ◄─ batch ◄─ cluster ◄─ route     (io.onehop.jedis.internal)
 * </pre>
 *
 * <p>{@link io.onehop.jedis.OneHopException} and its kinds are of this package for those who catch
 * them, and beneath all of those packages, since each may throw one: they know nothing of the
 * client.
 *
 * <p>Users meet four things: {@link io.onehop.jedis.OneHopClient}, what it inherits from Jedis, the
 * topology of {@code io.onehop.core}, and {@link io.onehop.jedis.OneHopException} with one class
 * for each kind of failure.
 *
 * <p>Rules of the house:
 *
 * <ul>
 *   <li>One absolute deadline for everything that one call does.
 *   <li>The only threads of our own look at the configuration file, look at idle connections, look
 *       up host names, and ask a Redis Cluster for its map.
 *   <li>No lock is held during a wait for a node.
 *   <li>A connection is used again only if its exchange ended clean.
 *   <li>An Error may come anywhere, so a lease ends by one store ({@code Holder}).
 * </ul>
 */
package io.onehop.jedis;
