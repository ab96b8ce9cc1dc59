package io.onehop.spring;

import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

import java.util.Map;

/**
 * Keeps Spring Boot from starting Lettuce beside the client. Lettuce's resources have a thread even
 * if nothing uses them. This is only a default: a client type that the application sets wins.
 */
final class ClientTypeDefault implements EnvironmentPostProcessor {
    private static final String CLIENT_TYPE = "spring.data.redis.client-type";

    @Override
    public void postProcessEnvironment(
            ConfigurableEnvironment environment, SpringApplication application) {
        environment
                .getPropertySources()
                .addLast(new MapPropertySource("onehop", Map.of(CLIENT_TYPE, "jedis")));
    }
}
