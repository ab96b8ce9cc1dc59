package io.onehop.jedis;

import java.util.List;

/**
 * Learns which channels and patterns of a subscription are silent, because a node has failed.
 *
 * <p>A {@code JedisPubSub}, or one of its kin, that implements this is called on the thread that
 * subscribed, between two messages. The log (logger {@code io.onehop}) says the same. What a method
 * throws ends the subscription.
 */
public interface ChannelsListener {
    /**
     * Nothing more arrives from this node, and the subscription goes on with the others. What is
     * published there from now on is lost.
     *
     * @param node the node
     * @param channels the channels and patterns that were subscribed on it
     * @param why what has happened
     */
    void onMissing(String node, List<String> channels, OneHopException why);

    /**
     * The channels and patterns are subscribed on this node again; or in its place, if a Redis
     * Cluster has another node for them.
     *
     * @param node the node
     * @param channels the channels and patterns
     */
    void onBack(String node, List<String> channels);
}
