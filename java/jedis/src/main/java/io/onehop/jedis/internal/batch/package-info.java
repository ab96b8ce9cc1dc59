/**
 * Several commands, or one over several nodes: a lane for each node, all at once on the caller's
 * thread, and replies that become one.
 */
package io.onehop.jedis.internal.batch;
