package io.onehop.jedis;

import java.util.List;

/**
 * Is told which channels and patterns of a subscription are silent, because a node has failed.
 *
 * <p>A {@code JedisPubSub}, or a similar class, that implements this interface is called on the
 * thread that subscribed, between two messages. The log (logger {@code io.onehop}) says the same.
 * If a method throws, the subscription ends.
 */
public interface ChannelsListener {
    /**
     * Nothing more arrives from this node, and the subscription goes on with the others. Messages
     * that are published there from now on are lost.
     *
     * @param node the node
     * @param channels the channels and patterns that were subscribed on it
     * @param why what has happened
     */
    void onMissing(String node, List<String> channels, OneHopException why);

    /**
     * The channels and patterns are subscribed again. If another node of a Redis Cluster has taken
     * them over, {@code node} is that other node.
     *
     * @param node the node
     * @param channels the channels and patterns
     */
    void onBack(String node, List<String> channels);
}
