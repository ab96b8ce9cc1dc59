package io.onehop.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.annotation.Id;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisHash;
import org.springframework.data.redis.core.RedisKeyValueAdapter.EnableKeyspaceEvents;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.TimeToLive;
import org.springframework.data.redis.core.index.Indexed;
import org.springframework.data.redis.listener.PatternTopic;
import org.springframework.data.redis.listener.RedisMessageListenerContainer;
import org.springframework.data.redis.repository.configuration.EnableRedisRepositories;
import org.springframework.data.repository.CrudRepository;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Repositories: their indexes are sets on all nodes. */
final class RepositoryTest {

    @RedisHash("people")
    record Person(
            @Id String id, @Indexed String first, @Indexed String last, @TimeToLive Long seconds) {}

    interface People extends CrudRepository<Person, String> {
        List<Person> findByFirst(String first);

        List<Person> findByFirstAndLast(String first, String last);

        List<Person> findByFirstOrLast(String first, String last);
    }

    @Configuration
    @EnableRedisRepositories(
            considerNestedRepositories = true,
            enableKeyspaceEvents = EnableKeyspaceEvents.ON_STARTUP,
            messageListenerContainerRef = "container")
    static class Application {
        @Bean
        RedisTemplate<?, ?> redisTemplate(RedisConnectionFactory factory) {
            RedisTemplate<?, ?> template = new RedisTemplate<>();
            template.setConnectionFactory(factory);
            return template;
        }

        /** The repositories use this container, which waits long enough for a busy machine. */
        @Bean
        RedisMessageListenerContainer container(RedisConnectionFactory factory) {
            return Fleet.container(factory);
        }
    }

    @ParameterizedTest
    @EnumSource
    void indexesOfAllNodes(Fleet fleet) {
        try (AnnotationConfigApplicationContext context =
                new AnnotationConfigApplicationContext()) {
            context.registerBean(RedisConnectionFactory.class, fleet::factory);
            context.register(Application.class);
            context.refresh();
            People people = context.getBean(People.class);
            people.deleteAll();
            for (int i = 0; i < 12; i++) {
                people.save(new Person("id" + i, "first" + i % 2, "last" + i % 3, null));
            }
            assertEquals(12, people.count());
            assertEquals(ids(0, 2, 4, 6, 8, 10), ids(people.findByFirst("first0")));
            assertEquals(ids(0, 6), ids(people.findByFirstAndLast("first0", "last0")));
            assertEquals(
                    ids(0, 1, 2, 4, 6, 7, 8, 10), ids(people.findByFirstOrLast("first0", "last1")));
            people.save(new Person("id0", "first1", "last0", null));
            assertEquals(ids(6), ids(people.findByFirstAndLast("first0", "last0")));
            people.deleteById("id6");
            assertTrue(people.findByFirstAndLast("first0", "last0").isEmpty());
            assertFalse(people.existsById("id6"));

            fleet.awaitHeard(
                    context.getBean(RedisMessageListenerContainer.class),
                    new PatternTopic("__keyevent@*__:expired"),
                    key -> expire(fleet, key));
            expires(fleet, people);
            people.deleteAll();
        }
    }

    /** The index forgets expired people, whichever node has published that they expired. */
    private static void expires(Fleet fleet, People people) {
        IntStream.range(0, 12)
                .forEach(i -> people.save(new Person("soon" + i, "soon", "gone", 1L)));
        Fleet.await(
                "the index has forgotten all that have expired",
                () -> {
                    // Notifications are lost while a busy cluster changes its map: expire again.
                    fleet.client().smembers("people:first:soon").stream()
                            .map(id -> "people:" + id)
                            .filter(key -> !fleet.client().exists(key))
                            .forEach(key -> expire(fleet, key));
                    return !fleet.client().exists("people:first:soon");
                });
    }

    private static void expire(Fleet fleet, String key) {
        fleet.template().opsForValue().set(key, "", Duration.ofMillis(1));
    }

    private static Set<String> ids(int... numbers) {
        return IntStream.of(numbers).mapToObj(i -> "id" + i).collect(Collectors.toSet());
    }

    private static Set<String> ids(List<Person> found) {
        return found.stream().map(Person::id).collect(Collectors.toSet());
    }
}
