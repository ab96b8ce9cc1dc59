package io.onehop.spring;

import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.listener.ChannelTopic;
import org.springframework.data.redis.listener.PatternTopic;
import org.springframework.data.redis.listener.RedisMessageListenerContainer;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/** If all nodes of a container die, it hears messages again when the nodes are back. */
final class ListenerTest {

    @Test
    void everyListenerHearsAgain() throws Exception {
        try (Nodes nodes = Nodes.start(2);
                OneHopClient client = nodes.client()) {
            Set<String> heard = ConcurrentHashMap.newKeySet();
            RedisMessageListenerContainer container = container(client, heard);
            container.afterPropertiesSet();
            container.start();
            try {
                StringRedisTemplate template =
                        new StringRedisTemplate(new OneHopConnectionFactory(client));
                awaitAll(template, heard);
                nodes.servers().forEach(RedisServer::kill);
                nodes.servers().forEach(RedisServer::restart);
                heard.clear();
                awaitAll(template, heard);
            } finally {
                container.destroy();
            }
        }
    }

    private static RedisMessageListenerContainer container(OneHopClient client, Set<String> heard) {
        RedisMessageListenerContainer container =
                Fleet.container(new OneHopConnectionFactory(client));
        channels()
                .forEach(
                        name ->
                                container.addMessageListener(
                                        (message, pattern) -> heard.add(name),
                                        new ChannelTopic(name)));
        container.addMessageListener(
                (message, pattern) -> heard.add("pattern"), new PatternTopic("channel:*"));
        return container;
    }

    private static Set<String> channels() {
        return IntStream.range(0, 6)
                .mapToObj(i -> "channel:" + i)
                .collect(java.util.stream.Collectors.toSet());
    }

    /** Publishes to all channels until each listener has heard something. */
    private static void awaitAll(StringRedisTemplate template, Set<String> heard) {
        Fleet.await(
                "every listener hears",
                () -> {
                    channels().forEach(name -> publish(template, name));
                    return heard.containsAll(channels()) && heard.contains("pattern");
                });
    }

    private static void publish(StringRedisTemplate template, String channel) {
        try {
            template.convertAndSend(channel, "message");
        } catch (DataAccessException notYet) {
            // The node of the channel still rests, or loads its file.
        }
    }
}
