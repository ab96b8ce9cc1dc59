package io.onehop.spring;

import io.onehop.jedis.OneHopClient;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ResourceUtils;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A client, and a connection factory over it. Spring Boot makes everything else for Redis from the
 * factory: templates, caches, sessions, repositories, listener containers. Each bean is left out if
 * the application has one of its own.
 */
@AutoConfiguration(before = DataRedisAutoConfiguration.class)
@EnableConfigurationProperties(OneHopProperties.class)
public class OneHopAutoConfiguration {

    /**
     * The client, closed with the application.
     *
     * @param properties name the configuration and the pool
     * @param customizers add what properties cannot say
     * @param resources loads locations that are not plain paths
     * @return an open client
     */
    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    public OneHopClient oneHopClient(
            OneHopProperties properties,
            ObjectProvider<OneHopClientBuilderCustomizer> customizers,
            ResourceLoader resources) {
        OneHopClient.Builder builder = OneHopClient.builder();
        if (properties.config() != null) {
            configure(builder, properties.config(), resources);
        }
        if (properties.pool() != null) {
            builder.pool(properties.pool());
        }
        customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
        return builder.build();
    }

    private static void configure(
            OneHopClient.Builder builder, String config, ResourceLoader resources) {
        if (!ResourceUtils.isUrl(config)) {
            builder.config(Path.of(config));
            return;
        }
        Resource resource = resources.getResource(config);
        try {
            if (resource.isFile()) {
                builder.config(resource.getFile().toPath());
            } else {
                builder.configText(resource.getContentAsString(StandardCharsets.UTF_8));
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /**
     * The connections of Spring Data Redis.
     *
     * @param client has the connections to the nodes
     * @return the factory
     */
    @Bean
    @ConditionalOnMissingBean(RedisConnectionFactory.class)
    public OneHopConnectionFactory redisConnectionFactory(OneHopClient client) {
        return new OneHopConnectionFactory(client);
    }
}
