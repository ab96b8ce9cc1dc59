/**
 * The map of a Redis Cluster, asked for by one thread of the client, and the commands that its
 * nodes send elsewhere.
 */
package io.onehop.jedis.internal.cluster;
