/**
 * One version of a server pool as a client goes by it, the newest of them, and who answers reads in
 * the place of a master.
 */
package io.onehop.jedis.internal.snapshot;
