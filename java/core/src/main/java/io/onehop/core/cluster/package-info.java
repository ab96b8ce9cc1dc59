/**
 * The map of a Redis Cluster, read, checked and made a topology; what to do after a redirect; what
 * Sentinels say of masters and replicas; and the fastest of several nodes. Implements
 * spec/topology/cluster.md and spec/topology/sentinel.md.
 */
package io.onehop.core.cluster;
