package io.onehop.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisListCommands.Direction;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * Commands with keys of two nodes. The same steps are also run with two keys of one node, where the
 * node's own command answers. All results must be the same.
 */
final class EmulationTest {
    private static final List<String> TOGETHER = List.of("{one}:a", "{one}:b");

    /** Steps with two keys. They return what can be seen of the keys. */
    private interface Steps {
        List<Object> run(StringRedisTemplate template, String a, String b);
    }

    private static void sameAsOnOneNode(Fleet fleet, Steps steps) {
        List<String> apart = fleet.apart("two:");
        List<Object> expected = shown(fleet, TOGETHER, steps);
        assertEquals(expected, shown(fleet, apart, steps));
    }

    private static List<Object> shown(Fleet fleet, List<String> keys, Steps steps) {
        StringRedisTemplate template = fleet.template();
        template.delete(keys);
        return steps.run(template, keys.get(0), keys.get(1));
    }

    /** The result of a call. If the call fails, the class of the exception and the node's error. */
    private static Object outcome(Callable<Object> call) {
        try {
            return call.call();
        } catch (DataAccessException thrown) {
            return thrown.getClass() + ": " + thrown.getCause().getMessage();
        } catch (Exception impossible) {
            throw new AssertionError(impossible);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rename(Fleet fleet) {
        sameAsOnOneNode(
                fleet,
                (template, a, b) -> {
                    List<Object> shown = new ArrayList<>();
                    shown.add(outcome(() -> renamed(template, a, b)));
                    template.opsForHash().put(a, "field", "value");
                    template.expire(a, Duration.ofMinutes(9));
                    template.opsForValue().set(b, "is replaced");
                    template.rename(a, b);
                    shown.add(template.hasKey(a));
                    shown.add(template.opsForHash().entries(b));
                    long seconds = template.getExpire(b, TimeUnit.SECONDS);
                    shown.add(seconds > 400 && seconds <= 540);
                    template.persist(b);
                    template.rename(b, a);
                    shown.add(template.getExpire(a));
                    return shown;
                });
    }

    private static Object renamed(StringRedisTemplate template, String a, String b) {
        template.rename(a, b);
        return "renamed";
    }

    @ParameterizedTest
    @EnumSource
    void renameIfAbsent(Fleet fleet) {
        sameAsOnOneNode(
                fleet,
                (template, a, b) -> {
                    List<Object> shown = new ArrayList<>();
                    shown.add(outcome(() -> template.renameIfAbsent(a, b)));
                    template.opsForValue().set(a, "1");
                    template.opsForValue().set(b, "2");
                    shown.add(template.renameIfAbsent(a, b));
                    template.delete(b);
                    shown.add(template.renameIfAbsent(a, b));
                    shown.add(template.opsForValue().multiGet(List.of(a, b)));
                    return shown;
                });
    }

    @ParameterizedTest
    @EnumSource
    void setsOfTwoNodes(Fleet fleet) {
        sameAsOnOneNode(
                fleet,
                (template, a, b) -> {
                    template.opsForSet().add(a, "1", "2", "3");
                    template.opsForSet().add(b, "2", "3", "4");
                    List<Object> shown = new ArrayList<>();
                    shown.add(new TreeSet<>(template.opsForSet().intersect(a, b)));
                    shown.add(new TreeSet<>(template.opsForSet().union(a, b)));
                    shown.add(new TreeSet<>(template.opsForSet().difference(a, b)));
                    shown.add(template.opsForSet().move(a, "1", b));
                    shown.add(template.opsForSet().move(a, "1", b));
                    shown.add(new TreeSet<>(template.opsForSet().members(b)));
                    shown.add(template.opsForSet().intersectAndStore(a, b, b));
                    shown.add(template.opsForSet().unionAndStore(a, b, a));
                    shown.add(new TreeSet<>(template.opsForSet().members(a)));
                    shown.add(template.opsForSet().differenceAndStore(a, b, a));
                    shown.add(template.hasKey(a));
                    template.opsForValue().set(a, "no set");
                    shown.add(outcome(() -> template.opsForSet().union(a, b)));
                    shown.add(outcome(() -> template.opsForSet().move(b, "2", a)));
                    return shown;
                });
    }

    @ParameterizedTest
    @EnumSource
    void elementsOfLists(Fleet fleet) {
        sameAsOnOneNode(
                fleet,
                (template, a, b) -> {
                    List<Object> shown = new ArrayList<>();
                    shown.add("nothing: " + template.opsForList().rightPopAndLeftPush(a, b));
                    template.opsForList().rightPushAll(a, "1", "2", "3", "4", "5");
                    shown.add(template.opsForList().rightPopAndLeftPush(a, b));
                    shown.add(
                            template.opsForList().rightPopAndLeftPush(a, b, Duration.ofSeconds(9)));
                    shown.add(
                            template.opsForList().move(a, Direction.first(), b, Direction.last()));
                    shown.add(
                            template.opsForList()
                                    .move(
                                            a,
                                            Direction.first(),
                                            b,
                                            Direction.last(),
                                            Duration.ofSeconds(9)));
                    shown.add(template.opsForList().range(a, 0, -1));
                    shown.add(template.opsForList().range(b, 0, -1));
                    template.opsForValue().set(b, "no list");
                    shown.add(outcome(() -> template.opsForList().rightPopAndLeftPush(a, b)));
                    shown.add(template.opsForList().range(a, 0, -1));
                    return shown;
                });
    }

    /**
     * In a pipeline the caller asks for one round trip, in a transaction for all or nothing. With
     * several commands, the caller would get neither.
     */
    @ParameterizedTest
    @EnumSource
    void notInAPipelineOrTransaction(Fleet fleet) {
        byte[] a = fleet.apart("two:").get(0).getBytes();
        byte[] b = fleet.apart("two:").get(1).getBytes();
        assertThrows(
                InvalidDataAccessApiUsageException.class,
                () ->
                        fleet.template()
                                .executePipelined(
                                        (RedisCallback<Object>)
                                                connection -> {
                                                    connection.keyCommands().rename(a, b);
                                                    return null;
                                                }));
        try (RedisConnection connection = fleet.factory().getConnection()) {
            connection.multi();
            connection.stringCommands().set(a, a);
            assertThrows(
                    InvalidDataAccessApiUsageException.class,
                    () -> connection.keyCommands().rename(a, b));
            assertTrue(connection.isQueueing());
            connection.discard();
        }
    }
}
