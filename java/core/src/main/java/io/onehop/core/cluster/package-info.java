/**
 * The map of a Redis Cluster, read, checked and made a topology; what to do after a redirect; and
 * the fastest of several nodes. Implements spec/topology/cluster.md.
 */
package io.onehop.core.cluster;
