package io.onehop.core.cluster;

/** One node as the answer of a Redis Cluster describes it. Missing texts are empty. */
final class ClusterNode {
    String id = "";
    String endpoint = "";
    String address = "";
    String zone = "";
    boolean hasEndpoint;
    long port;
    boolean isMaster;
    boolean isFailing;
    boolean isLoading;
}
