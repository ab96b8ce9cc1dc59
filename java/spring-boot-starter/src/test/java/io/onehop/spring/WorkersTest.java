package io.onehop.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.data.redis.connection.stream.Consumer;
import org.springframework.data.redis.connection.stream.MapRecord;
import org.springframework.data.redis.connection.stream.ReadOffset;
import org.springframework.data.redis.connection.stream.StreamOffset;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.stream.StreamMessageListenerContainer;
import org.springframework.data.redis.stream.StreamMessageListenerContainer.StreamReadRequest;
import org.springframework.integration.redis.util.RedisLockRegistry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.Lock;
import java.util.stream.IntStream;

/** What many workers share: the jobs of streams, and locks. */
final class WorkersTest {

    @ParameterizedTest
    @EnumSource
    void eachJobOnce(Fleet fleet) {
        StringRedisTemplate template = fleet.template();
        List<String> streams = fleet.apart("jobs:");
        template.delete(streams);
        streams.forEach(
                stream -> template.opsForStream().createGroup(stream, ReadOffset.from("0"), "all"));
        Map<String, Integer> done = new ConcurrentHashMap<>();
        var container =
                StreamMessageListenerContainer.create(
                        fleet.factory(),
                        StreamMessageListenerContainer.StreamMessageListenerContainerOptions
                                .builder()
                                .pollTimeout(Duration.ofMillis(50))
                                .executor(new SimpleAsyncTaskExecutor("worker-"))
                                .build());
        for (String stream : streams) {
            for (int worker = 0; worker < 3; worker++) {
                container.register(
                        StreamReadRequest.builder(
                                        StreamOffset.create(stream, ReadOffset.lastConsumed()))
                                .consumer(Consumer.from("all", "worker" + worker))
                                .cancelOnError(late -> false)
                                .build(),
                        job -> done.merge(job.getValue().get("job"), 1, Integer::sum));
            }
        }
        container.start();
        try {
            List<String> jobs = IntStream.range(0, 40).mapToObj(i -> "job " + i).toList();
            jobs.forEach(
                    job -> {
                        String stream = streams.get(job.hashCode() & 1);
                        template.opsForStream().add(MapRecord.create(stream, Map.of("job", job)));
                    });
            Fleet.await("all jobs are done", () -> done.keySet().containsAll(jobs));
            assertTrue(done.values().stream().allMatch(times -> times == 1), done.toString());
        } finally {
            container.stop();
        }
    }

    /** Threads with locks of several registries add to a counter, and no count is lost. */
    @ParameterizedTest
    @EnumSource
    void aLockHasOneOwner(Fleet fleet) throws Exception {
        StringRedisTemplate template = fleet.template();
        for (String counter : fleet.apart("count:")) {
            template.opsForValue().set(counter, "0");
            List<RedisLockRegistry> registries = new ArrayList<>();
            ExecutorService threads = Executors.newFixedThreadPool(4);
            try {
                List<Callable<Void>> tasks = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    RedisLockRegistry registry =
                            new RedisLockRegistry(fleet.factory(), "locks", 60_000);
                    registries.add(registry);
                    tasks.add(() -> count(template, registry.obtain(counter), counter));
                }
                for (Future<Void> done : threads.invokeAll(tasks)) {
                    done.get();
                }
            } finally {
                threads.shutdown();
                registries.forEach(RedisLockRegistry::destroy);
            }
            assertEquals("20", template.opsForValue().get(counter));
        }
    }

    private static Void count(StringRedisTemplate template, Lock lock, String counter) {
        for (int i = 0; i < 5; i++) {
            lock.lock();
            try {
                int before = Integer.parseInt(template.opsForValue().get(counter));
                template.opsForValue().set(counter, String.valueOf(before + 1));
            } finally {
                lock.unlock();
            }
        }
        return null;
    }
}
