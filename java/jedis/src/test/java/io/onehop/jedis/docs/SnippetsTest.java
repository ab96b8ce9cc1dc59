package io.onehop.jedis.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.OneHopMetrics;
import io.onehop.jedis.lab.Nodes;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Every block of Java in README.md and docs/ is compiled and run against three live nodes, and
 * every server pool is accepted. A new block is tested, too, without any change here. Only paths
 * are replaced: /etc/nutcracker.yml by the path of a file with these nodes.
 *
 * <p>A block of statements may use a client {@code redis} and a {@code registry} of meters. Blocks
 * that begin with {@code @Bean} make one configuration of Spring for each section.
 *
 * <p>php-ext/tests-docs runs the blocks of PHP and of everything else.
 */
class SnippetsTest {
    private static final String IMPORTS =
            Stream.of(
                            "io.micrometer.core.instrument",
                            "io.micrometer.observation",
                            "io.onehop.core",
                            "io.onehop.jedis",
                            "java.nio.file",
                            "java.util",
                            "org.springframework.boot.health.contributor",
                            "org.springframework.context.annotation",
                            "redis.clients.jedis")
                    .map(name -> "import " + name + ".*;\n")
                    .collect(Collectors.joining());

    /** What must be true after a block was run, for blocks that have a result. */
    private static final Map<String, BiConsumer<OneHopClient, MeterRegistry>> AFTER =
            Map.of(
                    "README.md, Use it, java 1",
                    (redis, registry) -> {
                        assertEquals("Ada", redis.hget("user:1", "name"));
                        assertEquals(List.of("1", "2", "3"), redis.mget("a", "b", "c"));
                        assertEquals("1", redis.get("{cart:7}:items"));
                    },
                    "docs/operations.md, Java: `status()` and Micrometer, java 1",
                    (redis, registry) -> assertFalse(registry.getMeters().isEmpty()));

    @TempDir private static Path folder;
    private static Nodes nodes;
    private static Path config;

    @BeforeAll
    static void startNodes() throws Exception {
        nodes = Nodes.start(3);
        String text = nodes.config("hash_tag: \"{}\"");
        config = Files.writeString(folder.resolve("nutcracker.yml"), text);
    }

    @AfterAll
    static void stopNodes() {
        nodes.close();
    }

    @TestFactory
    Stream<DynamicTest> everyBlockOfStatementsRuns() {
        return blocks("java")
                .filter(block -> !isOfBeans(block))
                .map(block -> dynamicTest(block.name(), () -> run(block)));
    }

    @TestFactory
    Stream<DynamicTest> everySectionWithBeansIsAnApplication() {
        Map<String, String> sections =
                blocks("java")
                        .filter(SnippetsTest::isOfBeans)
                        .collect(
                                Collectors.groupingBy(
                                        Block::section,
                                        Collectors.mapping(Block::text, Collectors.joining("\n"))));
        return sections.entrySet().stream()
                .map(each -> dynamicTest(each.getKey(), () -> apply(each.getValue())));
    }

    @TestFactory
    Stream<DynamicTest> everyServerPoolIsAccepted() {
        return blocks("yaml")
                .filter(block -> block.text().contains(" servers:"))
                .filter(block -> !block.text().contains("${")) // Tested by php-ext/tests-docs.
                .map(block -> dynamicTest(block.name(), () -> accept(block.text())));
    }

    private static Stream<Block> blocks(String language) {
        List<Block> blocks = Block.all();
        return blocks.stream()
                .filter(block -> block.language().equals(language) && !block.isQuotation());
    }

    private static boolean isOfBeans(Block block) {
        return block.text().startsWith("@Bean");
    }

    private static void run(Block block) throws Exception {
        nodes.flush();
        MeterRegistry registry = new SimpleMeterRegistry();
        try (OneHopClient redis = OneHopClient.builder().config(config).pool("alpha").build()) {
            Class<?> program =
                    compiled(
                            "public record Snippet(OneHopClient redis, MeterRegistry registry) {\n"
                                    + "public void run() throws Exception {\n"
                                    + block.text()
                                    + "}}\n");
            Object snippet =
                    program.getConstructor(OneHopClient.class, MeterRegistry.class)
                            .newInstance(redis, registry);
            program.getMethod("run").invoke(snippet);
            AFTER.getOrDefault(block.name(), (client, meters) -> {}).accept(redis, registry);
        }
    }

    private static void apply(String beans) throws Exception {
        Class<?> configuration =
                compiled("@Configuration public class Snippet {\n" + beans + "}\n");
        try (AnnotationConfigApplicationContext application =
                new AnnotationConfigApplicationContext()) {
            application.registerBean(ObservationRegistry.class, ObservationRegistry::create);
            application.register(configuration);
            application.refresh();
            assertEquals("OK", application.getBean(OneHopClient.class).set("key", "value"));
            application
                    .getBeanProvider(HealthIndicator.class)
                    .forEach(health -> assertEquals(Status.UP, health.health().getStatus()));
            MeterRegistry registry = new SimpleMeterRegistry();
            application
                    .getBeanProvider(OneHopMetrics.class)
                    .forEach(metrics -> metrics.bindTo(registry));
        }
    }

    /** Builds the client. That asks no node, because the addresses are only examples. */
    private static void accept(String text) throws IOException {
        Path password = Files.writeString(folder.resolve("password"), "secret\n");
        String here = text.replace("/run/secrets/redis", password.toString());
        OneHopClient.builder().configText(here).pool("alpha").build().close();
    }

    /** Compiles the class Snippet of this text, with the compiler's options of a careful user. */
    private static Class<?> compiled(String text) throws Exception {
        Path directory = Files.createTempDirectory(folder, "snippet");
        Path file = directory.resolve("Snippet.java");
        String here = text.replaceAll("/etc/(nutcracker|onehop)\\.yml", config.toString());
        Files.writeString(file, IMPORTS + here);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter errors = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options =
                    List.of(
                            "-d",
                            directory.toString(),
                            "--release",
                            "17",
                            "-parameters",
                            "-proc:none",
                            "-Werror");
            boolean isGood =
                    compiler.getTask(
                                    errors,
                                    files,
                                    null,
                                    options,
                                    null,
                                    files.getJavaFileObjects(file))
                            .call();
            assertTrue(isGood, () -> errors.toString());
        }
        URL[] urls = {directory.toUri().toURL()};
        return new URLClassLoader(urls, SnippetsTest.class.getClassLoader()).loadClass("Snippet");
    }

    /**
     * A block of code in the documentation: what is between ``` and ``` in README.md and docs/*.md.
     *
     * @param section the page and the heading of the block
     * @param number the number of the block among those of its section and language
     * @param isQuotation whether the block quotes a function of the source, which
     *     conformance/checks/quotations.py checks
     */
    private record Block(
            String section, String language, int number, String text, boolean isQuotation) {
        private static final Pattern HEADING_OR_BLOCK =
                Pattern.compile(
                        "^#+ (?<heading>[^\n]+)$|^(?:<!-- from (?<source>[^\n]+) -->\n)?"
                                + "(?<indent> *)```(?<language>\\w*)\n(?<text>.*?)^ *```$",
                        Pattern.MULTILINE | Pattern.DOTALL);

        /** All blocks, page by page. */
        static List<Block> all() {
            Path root = Path.of("").toAbsolutePath();
            while (!Files.exists(root.resolve("docs/README.md"))) {
                root = root.getParent();
            }
            List<Block> blocks = new ArrayList<>(of("README.md", root));
            try (Stream<Path> files = Files.list(root.resolve("docs"))) {
                for (Path file : files.sorted().toList()) {
                    if (file.toString().endsWith(".md")) {
                        blocks.addAll(of("docs/" + file.getFileName(), root));
                    }
                }
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
            return blocks;
        }

        private static List<Block> of(String page, Path root) {
            List<Block> blocks = new ArrayList<>();
            Map<String, Integer> counts = new HashMap<>();
            String heading = "";
            Matcher match;
            try {
                match = HEADING_OR_BLOCK.matcher(Files.readString(root.resolve(page)));
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
            while (match.find()) {
                if (match.group("heading") != null) {
                    heading = match.group("heading");
                    continue;
                }
                String section = page + ", " + heading;
                String language = match.group("language");
                String text = match.group("text").replaceAll("(?m)^" + match.group("indent"), "");
                int number = counts.merge(section + language, 1, Integer::sum);
                boolean isQuotation = match.group("source") != null;
                blocks.add(new Block(section, language, number, text, isQuotation));
            }
            return blocks;
        }

        String name() {
            return section + ", " + language + " " + number;
        }
    }
}
