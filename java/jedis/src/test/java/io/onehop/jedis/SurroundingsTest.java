package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.Jvm;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.Test;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Programs with another version of Jedis, or with a custom runtime image. */
class SurroundingsTest {

    private static String run(String classPath, String server, String... options) {
        String[] words =
                Stream.concat(
                                Stream.of(options),
                                Stream.of("-cp", classPath, SmallProgram.class.getName(), server))
                        .toArray(String[]::new);
        return Jvm.output(words).strip();
    }

    private static String classPathWith(Path jedis) {
        return Stream.of(Jvm.classPath().split(File.pathSeparator))
                .map(entry -> entry.contains(File.separator + "jedis-8") ? jedis.toString() : entry)
                .collect(Collectors.joining(File.pathSeparator));
    }

    @Test
    void anOlderJedisIsNamedWhenTheClientIsBuilt() throws IOException {
        List<Path> older;
        try (Stream<Path> jars = Files.list(Path.of("target", "older-jedis"))) {
            older = jars.sorted().toList();
        }
        assertEquals(2, older.size());
        for (Path jar : older) {
            String version = jar.getFileName().toString().replaceAll("jedis-(.*)\\.jar", "$1");
            assertEquals(
                    "io.onehop.jedis.ConfigInvalid: Jedis 8.0.2 or later is required, but the"
                            + " program has "
                            + version
                            + "; raise the version of redis.clients:jedis (with Spring Boot, the"
                            + " property jedis.version) to 8.0.2",
                    run(classPathWith(jar), "127.0.0.1:1:1"));
        }
    }

    @Test
    void aRuntimeWithoutJdkNetIsEnough() {
        try (RedisServer server = RedisServer.start()) {
            String without = "java.base,java.logging,java.management,java.naming,java.sql";
            assertEquals(
                    "OK value", run(Jvm.classPath(), server.server(), "--limit-modules", without));
            assertTrue(
                    Jvm.output("--limit-modules", without, "--list-modules")
                            .lines()
                            .noneMatch(line -> line.startsWith("jdk.net")));
        }
    }

    /** A minimal program for other kinds of JVM. Its output is checked. It needs no test class. */
    static final class SmallProgram {

        private SmallProgram() {}

        public static void main(String[] server) {
            String configuration =
                    "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  servers:\n    - "
                            + server[0]
                            + "\n";
            try (OneHopClient redis =
                    OneHopClient.builder().configText(configuration).pool("alpha").build()) {
                System.out.println(redis.set("key", "value") + " " + redis.get("key"));
            } catch (Throwable thrown) {
                System.out.println(thrown);
            }
        }
    }
}
