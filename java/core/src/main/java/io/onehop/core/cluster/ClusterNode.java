package io.onehop.core.cluster;

/** One node as an answer of a Redis Cluster tells it; texts that it does not tell are empty. */
final class ClusterNode {
    String id = "";
    String endpoint = "";
    String address = "";
    String zone = "";
    boolean hasEndpoint;
    long port;
    boolean isMaster;
    boolean isFailing;
}
