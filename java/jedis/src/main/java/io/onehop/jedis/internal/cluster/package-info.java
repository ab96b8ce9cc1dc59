/**
 * The map of a Redis Cluster, which one thread of the client refreshes, and the commands that nodes
 * redirect.
 */
package io.onehop.jedis.internal.cluster;
