package io.onehop.jedis.internal.route;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.Connection;
import redis.clients.jedis.providers.ConnectionProvider;

import java.util.Map;

/**
 * Presents all nodes as the one connection that Jedis' {@code ScanIteration} needs. It keeps one
 * route to its end.
 */
public final class ScanConnection extends Connection {
    private final Route route;

    private ScanConnection(Route route) {
        this.route = route;
    }

    @Override
    public @Nullable Object executeCommand(CommandArguments arguments) {
        return route.executeCommand(new CommandObject<>(arguments, BuilderFactory.RAW_OBJECT));
    }

    /** What {@code ScanIteration} takes its connection from. */
    public static ConnectionProvider provider(Route route) {
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
                return Map.of(route.topology().pool().name(), all);
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
