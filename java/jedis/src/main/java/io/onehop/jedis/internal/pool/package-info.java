/**
 * The connections of one node, and what all threads of a client know about the node: its health and
 * its meter.
 */
package io.onehop.jedis.internal.pool;
