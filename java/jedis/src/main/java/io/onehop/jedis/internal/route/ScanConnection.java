package io.onehop.jedis.internal.route;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.Connection;
import redis.clients.jedis.providers.ConnectionProvider;

import java.util.Map;

/**
 * Presents all nodes as the one connection that Jedis' {@code ScanIteration} needs. Each batch of
 * keys takes the newest route. If keys may have moved since the iteration began, the cursor of the
 * batch is refused.
 */
public final class ScanConnection extends Connection {
    private final CurrentRoute route;

    private ScanConnection(CurrentRoute route) {
        this.route = route;
    }

    @Override
    public @Nullable Object executeCommand(CommandArguments arguments) {
        return route.executeCommand(new CommandObject<>(arguments, BuilderFactory.RAW_OBJECT));
    }

    /** The provider from which {@code ScanIteration} takes its connection. */
    public static ConnectionProvider provider(CurrentRoute route) {
        Connection all = new ScanConnection(route);
        return new ConnectionProvider() {
            @Override
            public Connection getConnection() {
                return all;
            }

            @Override
            public Connection getConnection(CommandArguments arguments) {
                return all;
            }

            @Override
            public Map<?, ?> getConnectionMap() {
                return Map.of("all nodes", all);
            }

            @Override
            public Map<?, ?> getPrimaryNodesConnectionMap() {
                return getConnectionMap();
            }

            @Override
            public void close() {
                // There is nothing to close.
            }
        };
    }
}
