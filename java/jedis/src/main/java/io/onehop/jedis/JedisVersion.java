package io.onehop.jedis;

import io.onehop.core.base.Message;
import io.onehop.jedis.internal.failure.Failure;

import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.csc.Cache;
import redis.clients.jedis.executors.CommandExecutor;
import redis.clients.jedis.providers.ConnectionProvider;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/**
 * Checks the version of Jedis at run time. A build that manages versions, such as Spring Boot's,
 * may have replaced it by an older one. Without this check some later call would throw
 * NoSuchMethodError.
 */
final class JedisVersion {
    private static final int MAJOR = 8;
    private static final String NEEDED = "8.0.2";

    private JedisVersion() {}

    /** Throws if it is too old. */
    static void require() {
        String found = version();
        boolean isOld =
                found == null ? !hasConstructor() : found.matches("[0-" + (MAJOR - 1) + "]\\..*");
        if (isOld) {
            String has = found == null ? Message.OLDER_JEDIS.what() : found;
            throw Failure.ofBuild(
                    Message.JEDIS_TOO_OLD.what(NEEDED, has),
                    Message.JEDIS_TOO_OLD.advice(NEEDED),
                    null);
        }
    }

    /** The version that Jedis reports, or {@code null}. */
    private static String version() {
        try (InputStream file = UnifiedJedis.class.getResourceAsStream("pom.properties")) {
            Properties properties = new Properties();
            if (file != null) {
                properties.load(file);
            }
            return properties.getProperty("version");
        } catch (IOException | IllegalArgumentException unreadable) {
            return null;
        }
    }

    /** For a Jedis that reports no version: whether it has the constructor that a client needs. */
    private static boolean hasConstructor() {
        try {
            return UnifiedJedis.class.getDeclaredConstructor(
                            CommandExecutor.class,
                            ConnectionProvider.class,
                            RedisProtocol.class,
                            Cache.class)
                    != null;
        } catch (NoSuchMethodException older) {
            return false;
        }
    }
}
