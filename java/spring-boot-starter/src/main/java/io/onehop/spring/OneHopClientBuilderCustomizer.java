package io.onehop.spring;

import io.onehop.jedis.OneHopClient;

/**
 * A bean that sets more of the client than properties can: TLS, credentials, spans, a listener.
 * Such beans are called in their order, before {@code build()}.
 */
@FunctionalInterface
public interface OneHopClientBuilderCustomizer {
    /**
     * Sets more of the client.
     *
     * @param builder has the configuration and the pool already
     */
    void customize(OneHopClient.Builder builder);
}
