package io.onehop.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.ConfigInvalid;
import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.lab.Jvm;
import io.onehop.jedis.lab.Nodes;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What an application gets by one dependency and two properties, and what it is told if it cannot
 * start.
 */
final class AutoConfigurationTest {
    @TempDir static Path folder;
    private static Path file;

    @BeforeAll
    static void writeFile() throws IOException {
        file = Files.writeString(folder.resolve("nutcracker.yml"), Fleet.RING.config());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Greetings.class)
    static class Application {}

    /** An application that makes the client and the connection factory itself. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class ApplicationWithBeans {
        @Bean
        OneHopClient own() {
            return Nodes.clientOf(Fleet.RING.config());
        }

        @Bean
        RedisConnectionFactory factory(OneHopClient own) {
            return new OneHopConnectionFactory(own);
        }
    }

    static ConfigurableApplicationContext run(Class<?> application, String... properties) {
        return new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .properties("spring.main.banner-mode=off", "logging.level.root=off")
                .properties(properties)
                .run();
    }

    @Test
    void twoPropertiesAreEnough() {
        try (ConfigurableApplicationContext context =
                run(Application.class, "onehop.config=" + file, "onehop.pool=alpha")) {
            assertEquals("Hello Ada", context.getBean(Greetings.class).greet("Ada"));
            assertEquals("Hello Ada", Fleet.RING.client().get("greeting:Ada"));
            assertEquals(
                    OneHopConnectionFactory.class,
                    context.getBean(RedisConnectionFactory.class).getClass());
            assertEquals(2, context.getBeansOfType(RedisTemplate.class).size());
            assertFalse(context.containsBean("lettuceClientResources"));
            assertTrue(
                    Thread.getAllStackTraces().keySet().stream()
                            .noneMatch(thread -> thread.getName().startsWith("lettuce")));
        }
    }

    @Test
    void theConfigurationMayBeAnyLocation() {
        try (ConfigurableApplicationContext context =
                run(Application.class, "onehop.config=" + file.toUri(), "onehop.pool=alpha")) {
            assertTrue(context.getBean(OneHopClient.class).topology().nodes().size() == 3);
        }
        try (ConfigurableApplicationContext context =
                run(Application.class, "onehop.config=classpath:pool.yml", "onehop.pool=small")) {
            assertTrue(context.getBean(OneHopClient.class).topology().nodes().size() == 1);
        }
    }

    @Test
    void beansOfTheApplicationWin() {
        try (ConfigurableApplicationContext context = run(ApplicationWithBeans.class)) {
            assertSame(context.getBean("own"), context.getBean(OneHopClient.class));
            assertSame(context.getBean("factory"), context.getBean(RedisConnectionFactory.class));
        }
    }

    @Test
    void whatIsMissingIsSaidInOneLine() {
        assertEquals(
                Optional.of(
                        "Set onehop.config to the path of your nutcracker.yml, for example"
                                + " onehop.config=/etc/nutcracker.yml, and onehop.pool to the name"
                                + " of a server pool in it."),
                action(Map.of()));
        assertEquals(
                Optional.of("Set onehop.pool to the name of a server pool in " + file + "."),
                action(Map.of("onehop.config", file.toString())));
        assertEquals(
                Optional.empty(),
                action(Map.of("onehop.config", file.toString(), "onehop.pool", "beta")));
    }

    private static Optional<String> action(Map<String, Object> properties) {
        Exception thrown =
                assertThrows(
                        Exception.class,
                        () ->
                                run(
                                        Application.class,
                                        properties.entrySet().stream()
                                                .map(e -> e.getKey() + "=" + e.getValue())
                                                .toArray(String[]::new)));
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addLast(new MapPropertySource("test", properties));
        FailureAnalysis analysis = new ConfigInvalidAnalyzer(environment).analyze(thrown);
        assertEquals(ConfigInvalid.class, analysis.getCause().getClass());
        return Optional.ofNullable(analysis.getAction());
    }

    /** Spring Boot manages the version of Jedis, so most people meet this failure first. */
    @Test
    void anOldJedisIsSaidInOneLine() throws IOException {
        Path older;
        try (Stream<Path> jars = Files.list(Path.of("target", "older-jedis"))) {
            older = jars.findFirst().orElseThrow();
        }
        List<String> classPath =
                Stream.of(Jvm.classPath().split(Pattern.quote(":")))
                        .map(jar -> jar.matches(".*/jedis-8[^/]*\\.jar") ? older.toString() : jar)
                        .toList();
        assertTrue(classPath.contains(older.toString()));
        String output =
                Jvm.output(
                        "-cp",
                        String.join(":", classPath),
                        OldJedisProgram.class.getName(),
                        file.toString());
        assertTrue(
                output.contains(
                        "OneHop cannot start: Jedis 8.0.2 or later is required, but the program has"
                                + " 7.4.1; raise the version of redis.clients:jedis (with Spring"
                                + " Boot, the property jedis.version) to 8.0.2"),
                output);
        assertFalse(output.contains("\tat "), output);
    }
}
