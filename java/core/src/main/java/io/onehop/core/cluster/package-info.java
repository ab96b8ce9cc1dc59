/**
 * What a Redis Cluster says of itself, read, judged and made a topology; what next, when a node
 * says that it is not the one; and which of some nodes is the fastest. Implements
 * spec/topology/cluster.md.
 */
package io.onehop.core.cluster;
