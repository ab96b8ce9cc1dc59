package io.onehop.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * What an application says of its nodes, as properties {@code onehop.*}.
 *
 * @param config the configuration: the path of a file, which is followed while the application
 *     runs, or another location that Spring knows, such as {@code classpath:nutcracker.yml}
 * @param pool the name of the server pool in it
 */
@ConfigurationProperties("onehop")
public record OneHopProperties(@Nullable String config, @Nullable String pool) {}
