/**
 * The way of a command: checks, plan, node, exchange, retry. A call takes the route of the newest
 * snapshot and keeps it to its end.
 */
package io.onehop.jedis.internal.route;
