package io.onehop.spring;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.jedis.JedisConnection;

import redis.clients.jedis.UnifiedJedis;

/** Spring's connection over Jedis, whose calls fail as Spring expects. For one thread. */
class TranslatingConnection extends JedisConnection {

    TranslatingConnection(UnifiedJedis jedis) {
        super(jedis);
    }

    @Override
    protected DataAccessException convertJedisAccessException(Exception cause) {
        DataAccessException own = Translation.ofOwn(cause);
        return own == null ? super.convertJedisAccessException(cause) : own;
    }
}
