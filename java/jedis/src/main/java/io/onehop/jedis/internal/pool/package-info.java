/**
 * The connections of one node: lease, settle, and what all threads of a client know of the node:
 * its health, its meter.
 */
package io.onehop.jedis.internal.pool;
