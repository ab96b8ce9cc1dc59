package io.onehop.spring;

import io.onehop.jedis.OneHopClient;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConnection;

/**
 * Spring Data Redis over a client. A connection of Spring is a light object for one thread; the
 * client has the connections to the nodes. The same connection serves plain nodes and a Redis
 * Cluster. Any thread may use this class.
 */
public final class OneHopConnectionFactory implements RedisConnectionFactory {
    private final OneHopClient client;
    private final EmulatingFront front;

    /**
     * A factory over a client. The factory does not close the client.
     *
     * @param client the client
     */
    public OneHopConnectionFactory(OneHopClient client) {
        this.client = client;
        this.front = new EmulatingFront(client);
    }

    @Override
    public RedisConnection getConnection() {
        return new OneHopConnection(client, front);
    }

    /**
     * Throws: users of Spring's cluster connection choose nodes, and here the client chooses them.
     */
    @Override
    public RedisClusterConnection getClusterConnection() {
        throw new InvalidDataAccessApiUsageException(
                "A connection of OneHop serves a Redis Cluster, too: call getConnection().");
    }

    /** Throws: the client asks the Sentinels itself. */
    @Override
    public RedisSentinelConnection getSentinelConnection() {
        throw new InvalidDataAccessApiUsageException(
                "The client asks the Sentinels of its configuration: call getConnection().");
    }

    @Override
    public boolean getConvertPipelineAndTxResults() {
        return true;
    }

    @Override
    public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException thrown) {
        return Translation.ofOwn(thrown);
    }
}
