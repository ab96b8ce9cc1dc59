package io.onehop.jedis;

import static io.onehop.jedis.Callers.holdsSoon;

import static org.junit.jupiter.api.Assertions.assertTrue;

import redis.clients.jedis.JedisPubSub;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A subscriber that keeps what it receives, in order. */
class Collector extends JedisPubSub {
    final List<String> received = Collections.synchronizedList(new ArrayList<>());

    @Override
    public void onMessage(String channel, String message) {
        received.add("message " + channel + " " + message);
    }

    @Override
    public void onPMessage(String pattern, String channel, String message) {
        received.add("pmessage " + pattern + " " + channel + " " + message);
    }

    @Override
    public void onSubscribe(String channel, int count) {
        received.add("subscribe " + channel + " " + count);
    }

    @Override
    public void onUnsubscribe(String channel, int count) {
        received.add("unsubscribe " + channel + " " + count);
    }

    @Override
    public void onPSubscribe(String pattern, int count) {
        received.add("psubscribe " + pattern + " " + count);
    }

    @Override
    public void onPUnsubscribe(String pattern, int count) {
        received.add("punsubscribe " + pattern + " " + count);
    }

    @Override
    public void onPong(String message) {
        received.add("pong " + message);
    }

    void awaits(int count) {
        assertTrue(holdsSoon(() -> received.size() >= count), "only " + received);
    }
}
