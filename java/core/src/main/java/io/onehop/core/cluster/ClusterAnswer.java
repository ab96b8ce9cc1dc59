package io.onehop.core.cluster;

/**
 * The answers of one node of a Redis Cluster. spec/topology/cluster.md.
 *
 * @param reply the reply to CLUSTER SHARDS or CLUSTER SLOTS: the bytes of one whole value
 * @param info the reply to CLUSTER INFO: the bytes of one whole value; may be empty
 * @param host the host of the node that was asked, which replaces every endpoint that is left open
 */
public record ClusterAnswer(byte[] reply, byte[] info, String host) {}
