package io.onehop.spring;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.observation.ObservationRegistry;
import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.OneHopMetrics;
import io.onehop.jedis.OneHopTracing;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.health.autoconfigure.contributor.*; // The only name is too long.
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Health, meters and spans of the client, as far as the application has the libraries and beans
 * that they need.
 */
@AutoConfiguration(
        after = OneHopAutoConfiguration.class,
        afterName =
                "org.springframework.boot.micrometer.observation.autoconfigure"
                        + ".ObservationAutoConfiguration",
        beforeName =
                "org.springframework.boot.data.redis.autoconfigure.health"
                        + ".DataRedisHealthContributorAutoConfiguration")
@ConditionalOnSingleCandidate(OneHopClient.class)
public class OneHopMonitoringAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    @ConditionalOnEnabledHealthIndicator("redis")
    static class OfHealth {
        /**
         * By its name this bean replaces Spring Boot's own indicator, which is down if any node is
         * down.
         */
        @Bean
        @ConditionalOnMissingBean(name = {"redisHealthIndicator", "redisHealthContributor"})
        OneHopHealthIndicator redisHealthContributor(OneHopClient client) {
            return new OneHopHealthIndicator(client);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterBinder.class)
    static class OfMeters {
        @Bean
        @ConditionalOnMissingBean
        OneHopMetrics oneHopMetrics(OneHopClient client) {
            return new OneHopMetrics(client);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ObservationRegistry.class)
    @ConditionalOnBean(ObservationRegistry.class)
    static class OfSpans {
        /** Runs before the customizers of the application, which may set something else. */
        @Bean
        @Order(Ordered.HIGHEST_PRECEDENCE)
        OneHopClientBuilderCustomizer oneHopTracing(ObservationRegistry registry) {
            return builder -> builder.tracing(new OneHopTracing(registry));
        }
    }
}
