/**
 * One version of a server pool as calls use it, the newest version, and the choice of nodes that
 * answer reads.
 */
package io.onehop.jedis.internal.snapshot;
