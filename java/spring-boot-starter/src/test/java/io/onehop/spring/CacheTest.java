package io.onehop.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.cache.BatchStrategies;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.cache.RedisCacheWriter;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** {@code @Cacheable} over several nodes. */
final class CacheTest {

    /** What an application writes. */
    static class Prices {
        private final AtomicInteger asked = new AtomicInteger();

        @Cacheable("prices")
        public String of(int article) {
            asked.incrementAndGet();
            return article == 0 ? null : "price " + article;
        }

        @CacheEvict("prices")
        public void changed(int article) {
            // The cache forgets the price.
        }

        @CacheEvict(cacheNames = "prices", allEntries = true)
        public void allChanged() {
            // The cache forgets all prices.
        }

        /** A method and no field, because callers reach a cached object only through its proxy. */
        public int asked() {
            return asked.get();
        }
    }

    @Configuration
    @EnableCaching
    static class Application {
        @Bean
        Prices prices() {
            return new Prices();
        }

        @Bean
        RedisCacheManager caches(RedisConnectionFactory factory) {
            return RedisCacheManager.builder(
                            RedisCacheWriter.lockingRedisCacheWriter(
                                    factory, BatchStrategies.scan(100)))
                    .build();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aValueIsAskedForOnce(Fleet fleet) {
        try (AnnotationConfigApplicationContext context =
                new AnnotationConfigApplicationContext()) {
            context.registerBean(RedisConnectionFactory.class, fleet::factory);
            context.register(Application.class);
            context.refresh();
            Prices prices = context.getBean(Prices.class);
            prices.allChanged();
            for (int round = 0; round < 2; round++) {
                assertNull(prices.of(0));
                for (int article = 1; article < 30; article++) {
                    assertEquals("price " + article, prices.of(article));
                }
            }
            assertEquals(30, prices.asked());
            assertEquals(30, fleet.client().keys("prices::*").size());
            prices.changed(7);
            assertEquals("price 7", prices.of(7));
            assertEquals(31, prices.asked());
            prices.allChanged();
            assertEquals(Set.of(), fleet.client().keys("prices::*"));
        }
    }
}
