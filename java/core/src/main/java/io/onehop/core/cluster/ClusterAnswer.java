package io.onehop.core.cluster;

/**
 * What one node of a Redis Cluster was asked, and what came back. spec/topology/cluster.md.
 *
 * @param reply to CLUSTER SHARDS, or to CLUSTER SLOTS: the bytes of one whole value
 * @param info to CLUSTER INFO: the bytes of one whole value; may be empty
 * @param host of the node that was asked: it stands for every endpoint that is left open
 */
public record ClusterAnswer(byte[] reply, byte[] info, String host) {}
