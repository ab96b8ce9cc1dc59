package io.onehop.jedis;

import io.onehop.core.base.Message;
import io.onehop.jedis.internal.failure.Failure;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.csc.Cache;
import redis.clients.jedis.executors.CommandExecutor;
import redis.clients.jedis.providers.ConnectionProvider;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/**
 * The versions of OneHop and Jedis at run time. Both have a {@code pom.properties} beside their
 * classes, so that the version is known even in a fat jar and in a module.
 *
 * <p>A build that manages versions, such as Spring Boot's, may have replaced Jedis by an older one.
 * Without a check some later call would throw NoSuchMethodError.
 */
final class Versions {
    private static final int MAJOR = 8;
    private static final String NEEDED = "8.0.2";

    private Versions() {}

    /** Throws if Jedis is too old. */
    static void requireJedis() {
        String found = ofJedis();
        boolean isOld =
                found == null ? !hasConstructor() : found.matches("[0-" + (MAJOR - 1) + "]\\..*");
        if (isOld) {
            String has = found == null ? Message.OLDER_JEDIS.what() : found;
            throw Failure.ofBuild(
                    Message.JEDIS_TOO_OLD.what(NEEDED, has),
                    Failure.advice(Message.JEDIS_TOO_OLD, NEEDED),
                    null);
        }
    }

    /** The version that OneHop reports, or {@code null}. */
    static @Nullable String ofOneHop() {
        return of(Versions.class);
    }

    /** The version that Jedis reports, or {@code null}. */
    static @Nullable String ofJedis() {
        return of(UnifiedJedis.class);
    }

    private static @Nullable String of(Class<?> neighbour) {
        try (InputStream file = neighbour.getResourceAsStream("pom.properties")) {
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
