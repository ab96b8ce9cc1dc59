package io.onehop.jedis;

import io.onehop.core.base.Message;
import io.onehop.jedis.internal.command.Commands;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.ConnectionProvider;

import java.util.Map;

/** Refuses the methods of UnifiedJedis that would take a connection to an arbitrary node. */
final class RefusingConnectionProvider implements ConnectionProvider {
    private final String pool;

    RefusingConnectionProvider(String pool) {
        this.pool = pool;
    }

    @Override
    public Connection getConnection() {
        throw Commands.unsupported(method(), Message.OWN_CONNECTION.what(), pool);
    }

    @Override
    public Connection getConnection(CommandArguments arguments) {
        return getConnection();
    }

    @Override
    public Map<?, ?> getConnectionMap() {
        getConnection();
        return Map.of();
    }

    @Override
    public Map<?, ?> getPrimaryNodesConnectionMap() {
        return getConnectionMap();
    }

    /** The method of UnifiedJedis that was called. */
    private static String method() {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                .walk(
                        frames ->
                                frames.filter(
                                                frame ->
                                                        frame.getDeclaringClass()
                                                                == UnifiedJedis.class)
                                        .map(frame -> frame.getMethodName() + "()")
                                        .reduce("getConnection()", (inner, outer) -> outer));
    }

    @Override
    public void close() {
        // There is nothing to close.
    }
}
