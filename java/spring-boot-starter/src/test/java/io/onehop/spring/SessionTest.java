package io.onehop.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.listener.ChannelTopic;
import org.springframework.data.redis.listener.PatternTopic;
import org.springframework.data.redis.listener.RedisMessageListenerContainer;
import org.springframework.data.redis.serializer.RedisSerializer;
import org.springframework.session.FindByIndexNameSessionRepository;
import org.springframework.session.Session;
import org.springframework.session.SessionRepository;
import org.springframework.session.data.redis.RedisIndexedSessionRepository;
import org.springframework.session.data.redis.RedisSessionRepository;
import org.springframework.session.events.AbstractSessionEvent;
import org.springframework.session.events.SessionDeletedEvent;
import org.springframework.session.events.SessionExpiredEvent;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Both kinds of Spring Session: ids that change, and events of all nodes. */
final class SessionTest {
    private static final int COUNT = 12; // Enough for keys on all nodes.

    private static RedisTemplate<String, Object> operations(Fleet fleet) {
        RedisTemplate<String, Object> operations = new RedisTemplate<>();
        operations.setConnectionFactory(fleet.factory());
        operations.setKeySerializer(RedisSerializer.string());
        operations.setHashKeySerializer(RedisSerializer.string());
        operations.afterPropertiesSet();
        return operations;
    }

    @ParameterizedTest
    @EnumSource
    void anIdChangesAtLogin(Fleet fleet) {
        idsChange(new RedisSessionRepository(operations(fleet)), "Ada");
    }

    @ParameterizedTest
    @EnumSource
    void anIdChangesAtLoginWithIndexes(Fleet fleet) {
        RedisIndexedSessionRepository sessions =
                new RedisIndexedSessionRepository(operations(fleet));
        String principal = UUID.randomUUID().toString();
        Set<String> ids = idsChange(sessions, principal);
        assertEquals(ids, sessions.findByPrincipalName(principal).keySet());
        ids.forEach(sessions::deleteById);
        assertEquals(Set.of(), sessions.findByPrincipalName(principal).keySet());
        sessions.destroy();
    }

    /** Changes ids of sessions, as Spring Security does at every login. Returns the new ids. */
    private static <S extends Session> Set<String> idsChange(
            SessionRepository<S> sessions, String principal) {
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < COUNT; i++) {
            S session = sessions.createSession();
            session.setAttribute("cart", "cart " + i);
            sessions.save(session);
            S found = sessions.findById(session.getId());
            String old = found.getId();
            String id = found.changeSessionId();
            found.setAttribute(
                    FindByIndexNameSessionRepository.PRINCIPAL_NAME_INDEX_NAME, principal);
            sessions.save(found);
            assertNull(sessions.findById(old));
            assertEquals("cart " + i, sessions.findById(id).getAttribute("cart"));
            assertEquals(Duration.ofMinutes(30), sessions.findById(id).getMaxInactiveInterval());
            ids.add(id);
        }
        return ids;
    }

    @ParameterizedTest
    @EnumSource
    void everySessionThatEndsIsHeardOf(Fleet fleet) throws Exception {
        fleet.template()
                .getConnectionFactory()
                .getConnection()
                .serverCommands()
                .setConfig("notify-keyspace-events", "Egx");
        RedisIndexedSessionRepository sessions =
                new RedisIndexedSessionRepository(operations(fleet));
        Set<String> expired = ConcurrentHashMap.newKeySet();
        Set<String> deleted = ConcurrentHashMap.newKeySet();
        sessions.setApplicationEventPublisher(
                event -> {
                    String id = ((AbstractSessionEvent) event).getSessionId();
                    if (event instanceof SessionExpiredEvent) {
                        expired.add(id);
                    } else if (event instanceof SessionDeletedEvent) {
                        deleted.add(id);
                    }
                });
        RedisMessageListenerContainer container = container(fleet, sessions);
        container.afterPropertiesSet();
        container.start();
        fleet.awaitHeard(
                container,
                new ChannelTopic(sessions.getSessionExpiredChannel()),
                key -> expire(fleet, key));
        fleet.awaitHeard(
                container,
                new ChannelTopic(sessions.getSessionDeletedChannel()),
                key -> delete(fleet, key));
        try {
            List<String> ids = IntStream.range(0, COUNT).mapToObj(i -> saved(sessions)).toList();
            String prefix = "spring:session:sessions:expires:";
            ids.subList(0, COUNT / 2).forEach(id -> fleet.client().pexpire(prefix + id, 1));
            ids.subList(COUNT / 2, COUNT).forEach(sessions::deleteById);
            // Notifications are lost while a busy cluster changes its map: the key expires again.
            Set<String> first = Set.copyOf(ids.subList(0, COUNT / 2));
            Set<String> rest = Set.copyOf(ids.subList(COUNT / 2, COUNT));
            Fleet.await(
                    "each expired session is told",
                    () -> isTold(first, expired, id -> expire(fleet, prefix + id)));
            Fleet.await(
                    "each deleted session is told",
                    () -> isTold(rest, deleted, id -> delete(fleet, prefix + id)));
        } finally {
            container.destroy();
            sessions.destroy();
        }
    }

    private static boolean isTold(Set<String> ids, Set<String> told, Consumer<String> again) {
        ids.stream().filter(id -> !told.contains(id)).forEach(again);
        return told.containsAll(ids);
    }

    private static void expire(Fleet fleet, String key) {
        fleet.template().opsForValue().set(key, "", Duration.ofMillis(1));
    }

    private static void delete(Fleet fleet, String key) {
        fleet.client().set(key, "");
        fleet.client().del(key);
    }

    private static String saved(RedisIndexedSessionRepository sessions) {
        var session = sessions.createSession();
        sessions.save(session);
        return session.getId();
    }

    private static RedisMessageListenerContainer container(
            Fleet fleet, RedisIndexedSessionRepository sessions) {
        RedisMessageListenerContainer container = Fleet.container(fleet.factory());
        container.addMessageListener(
                sessions,
                List.of(
                        new ChannelTopic(sessions.getSessionDeletedChannel()),
                        new ChannelTopic(sessions.getSessionExpiredChannel())));
        container.addMessageListener(
                sessions, new PatternTopic(sessions.getSessionCreatedChannelPrefix() + "*"));
        return container;
    }
}
