/**
 * The map of a Redis Cluster, or the masters that Sentinels name, which one thread of the client
 * refreshes; and the commands that nodes redirect, or that go to another master.
 */
package io.onehop.jedis.internal.cluster;
