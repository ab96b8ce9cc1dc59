/**
 * The Java client. Jedis speaks the protocol. This package decides where a command goes, over which
 * connection, by which deadline, and whether the reply can be believed. It asks several nodes in
 * parallel.
 *
 * <pre>
 *  OneHopClient ─► CurrentRoute: one Snapshot (topology, pools) for a whole call or batch
 *
 *  UnifiedJedis' method ─► RoutedArguments ─► Intake ─► Plan
 *                                             (the table, Keys)
 *                                               │
 *                     ┌─────────────────────────┴─────────┐
 *                     ▼                                   ▼
 *              CommandExchange                       BatchRunner ◄─ Pipeline: encoded at append
 *              one node: lease, exchange, settle     several nodes in parallel (Scatter),
 *                     │                              a BatchExchange for each;
 *                     │                              Merge makes their replies one
 *                     │                                   │
 *                     └────────────────┬──────────────────┘
 *                                      ▼
 *                         Pool, one per node ─► Seats ─► NodeConnection (Jedis' Connection)
 *                          │ IdleConnectionEvictor       └► ReplyStream ─► ReplyGuard ─► NodeSocket
 *                          ├─► NodeHealth: may it be asked?
 *                          └─► NodeMeter: what became of it ─► status(), OneHopMetrics
 *
 *  Route, BatchRunner, Transaction ─► CallObserver, if there is one ─► OneHopTracing
 *
 *  transaction() ─► Transaction ─► Held: one connection from WATCH or EXEC to the end
 *  subscribe() ─► Subscription ─► SubscribedNode: one connection per node that has its channels
 *  onEachNode(), onNode() ─► EachNode          SCAN ─► Scan          EVALSHA ─► Scripts
 * </pre>
 *
 * <p>Only this package is exported. The engine is beneath it, in packages of {@code
 * io.onehop.jedis.internal}. They are layers, and each uses only those before it:
 *
 * <pre>
 *  failure ◄─ tls ◄─ request ◄─ command ◄─ connection ◄─ pool
 *          ◄─ snapshot ◄─ batch ◄─ nodes ◄─ resend ◄─ route
 * </pre>
 *
 * <p>{@link io.onehop.jedis.OneHopException} and its kinds are in this package because programs
 * that use the client also catch these exceptions. They are beneath all other packages, since each
 * package may throw one, and they use nothing of the client.
 *
 * <p>Users meet four things: {@link io.onehop.jedis.OneHopClient}, what it inherits from Jedis, the
 * topology of {@code io.onehop.core}, and {@link io.onehop.jedis.OneHopException} with one class
 * for each kind of failure.
 *
 * <p>Rules of the house:
 *
 * <ul>
 *   <li>One absolute deadline covers everything that a call does.
 *   <li>The library starts threads only to watch the configuration file, to check idle connections,
 *       to resolve host names, and to ask a Redis Cluster for its map or Sentinels for masters.
 *   <li>No lock is held during a wait for a node.
 *   <li>A connection is used again only if its exchange ended clean.
 *   <li>An Error may be thrown anywhere, so a lease ends with a single store ({@code Holder}).
 * </ul>
 */
package io.onehop.jedis;
