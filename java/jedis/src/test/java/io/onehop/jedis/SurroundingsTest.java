package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.Gson;

import io.onehop.core.Topology;
import io.onehop.jedis.lab.Jvm;
import io.onehop.jedis.lab.RedisServer;

import org.apache.commons.pool2.impl.GenericObjectPool;
import org.json.JSONObject;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.snakeyaml.engine.v2.api.Load;

import redis.clients.authentication.core.TokenManager;
import redis.clients.jedis.UnifiedJedis;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Programs with another version of Jedis, programs in a custom runtime image, and programs that are
 * modules, compiled against the client's module. All run in a JVM of their own.
 */
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

    /**
     * A minimal program for other kinds of JVM, which needs no class of the tests. Its output is
     * checked.
     */
    static final class SmallProgram {

        private SmallProgram() {}

        public static void main(String[] server) {
            String configuration =
                    "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  timeout: 30000\n"
                            + "  servers:\n    - "
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

    /* ---- Programs that are modules ---- */

    private static final String DECLARATION = "module app { requires io.onehop.jedis; }";
    private static final String PROGRAM =
            """
            package app;

            import io.onehop.core.Node;
            import io.onehop.jedis.OneHopClient;
            import java.lang.module.ModuleReference;
            import java.lang.module.ResolvedModule;
            import java.util.stream.Collectors;

            public final class Main {
                public static void main(String[] server) {
                    String text = "alpha:\\n  listen: 127.0.0.1:1\\n  redis: true\\n"
                            + "  timeout: 30000\\n  servers:\\n    - " + server[0] + " here\\n";
                    try (OneHopClient redis =
                            OneHopClient.builder().configText(text).pool("alpha").build()) {
                        Node node = redis.topology().locate("key");
                        System.out.println(redis.set("key", "value") + " " + redis.get("key"));
                        System.out.println(node.name());
                    }
                    System.out.println(ModuleLayer.boot().configuration().modules().stream()
                            .filter(module -> isLibrary(module.reference()))
                            .map(ResolvedModule::name).sorted().collect(Collectors.joining(" ")));
                }

                private static boolean isLibrary(ModuleReference module) {
                    return module.location().orElseThrow().getScheme().equals("file");
                }
            }
            """;

    /**
     * The client, and all libraries that Jedis needs, also those that no command of the program
     * needs.
     */
    private static final String LIBRARIES =
            "app com.google.gson io.onehop.core io.onehop.jedis "
                    + "org.apache.commons.pool2 org.json org.slf4j org.snakeyaml.engine "
                    + "redis.clients.authentication.core redis.clients.jedis";

    @TempDir static Path folder;

    @BeforeAll
    static void compileTheProgram() throws IOException {
        Path declaration = Files.writeString(folder.resolve("module-info.java"), DECLARATION);
        Path program = Files.writeString(folder.resolve("Main.java"), PROGRAM);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of("-Xlint:all", "-p", modulePath(), "-d", classes());
            compiler.getTask(
                            said,
                            files,
                            null,
                            options,
                            null,
                            files.getJavaFileObjects(declaration, program))
                    .call();
        }
        assertEquals("", said.toString());
    }

    private static String classes() {
        return folder.resolve("classes").toString();
    }

    /**
     * The client and the dependencies of its pom, without optional libraries and without the tests.
     */
    private static String modulePath() {
        return Stream.of(
                        OneHopClient.class,
                        Topology.class,
                        Load.class,
                        UnifiedJedis.class,
                        GenericObjectPool.class,
                        Gson.class,
                        JSONObject.class,
                        Logger.class,
                        TokenManager.class)
                .map(SurroundingsTest::place)
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static String place(Class<?> type) {
        try {
            CodeSource source = type.getProtectionDomain().getCodeSource();
            return Path.of(source.getLocation().toURI()).toString();
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static String java(Stream<String> words) {
        Stream<String> modules = Stream.of("-p", modulePath() + File.pathSeparator + classes());
        return Jvm.output(Stream.concat(modules, words).toArray(String[]::new)).strip();
    }

    private static void assertWorks(String... options) {
        try (RedisServer server = RedisServer.start()) {
            Stream<String> words = Stream.of("-m", "app/app.Main", server.server());
            assertEquals(
                    "OK value\nhere\n" + LIBRARIES, java(Stream.concat(Stream.of(options), words)));
        }
    }

    @Test
    void aProgramThatRequiresTheClientAloneWorks() {
        assertWorks();
    }

    @Test
    void theClientWorksWithoutJdkNetAndMicrometer() {
        assertWorks("--limit-modules", "io.onehop.jedis");
        String observed = java(Stream.of("--limit-modules", "io.onehop.jedis", "--list-modules"));
        assertFalse(observed.matches("(?s).*(jdk\\.net|micrometer).*"), observed);
    }

    @Test
    void aProgramMayHaveJdkNetToo() {
        assertWorks("--add-modules", "jdk.net");
    }
}
