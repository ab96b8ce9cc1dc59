package io.onehop.core.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;

import io.onehop.core.Distribution;
import io.onehop.core.Hash;
import io.onehop.core.Node;
import io.onehop.core.Role;
import io.onehop.core.Spec;
import io.onehop.core.base.Limits;
import io.onehop.core.config.ConfigException.ConfigError;
import io.onehop.core.key.Key.HashTag;
import io.onehop.core.topology.Directive;
import io.onehop.core.topology.DirectiveValue;
import io.onehop.core.topology.DirectiveValue.ReadFrom;
import io.onehop.core.topology.DirectiveValue.TlsVerify;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.Server;
import io.onehop.core.topology.ServerPool;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Configurations that are accepted and rejected, against the cases of spec/config, and texts that
 * no person would write.
 */
class ConfigTest {

    static Stream<String> good() {
        return ConfigCase.GOOD.keySet().stream();
    }

    static Stream<String> bad() {
        return ConfigCase.BAD.keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("good")
    void aGoodConfigurationHasTheValuesOfItsCase(String name) throws ConfigException {
        ConfigCase test = ConfigCase.GOOD.get(name);
        Config config = Config.parse(test.text(), test::variable);
        if (!test.head().has("pools")) {
            return; // A case about size only says that the text is accepted.
        }
        List<JsonObject> pools = Spec.objects(test.head().getAsJsonArray("pools"));
        assertEquals(
                pools.stream().map(pool -> pool.get("name").getAsString()).toList(),
                config.pools().stream().map(ServerPool::name).toList());
        for (JsonObject pool : pools) {
            checkPool(pool, config.pool(pool.get("name").getAsString()));
        }
    }

    static Stream<JsonObject> passwordFiles() {
        return Spec.objects(Spec.json("config/password_files.json").getAsJsonArray("cases"))
                .stream();
    }

    @ParameterizedTest
    @MethodSource("passwordFiles")
    void aPasswordFileHasAPasswordOrAReason(JsonObject test) throws DirectiveValue.Fault {
        StringBuilder hex = new StringBuilder();
        for (JsonElement part : test.getAsJsonArray("content")) {
            JsonArray pair = part.getAsJsonArray();
            hex.append(pair.get(0).getAsString().repeat(pair.get(1).getAsInt()));
        }
        byte[] content = HexFormat.of().parseHex(hex);
        if (test.has("reason")) {
            DirectiveValue.Fault fault =
                    assertThrows(
                            DirectiveValue.Fault.class, () -> PasswordFile.passwordIn(content));
            assertEquals(test.get("reason").getAsString(), fault.reason());
        } else if (test.has("password")) {
            assertEquals(test.get("password").getAsString(), PasswordFile.passwordIn(content));
        } else {
            assertEquals(
                    test.get("password_length").getAsInt(),
                    PasswordFile.passwordIn(content).length());
        }
    }

    private static void checkPool(JsonObject expected, ServerPool pool) {
        JsonObject directives = expected.getAsJsonObject("directives");
        for (Directive directive : Directive.values()) {
            if (!directive.isSequence()) {
                JsonElement value = directives.get(directive.label());
                String expectedText =
                        value != null ? value.getAsString() : text(directive.standard());
                assertEquals(expectedText, text(pool.value(directive)), directive.label());
            }
        }
        String sentinels =
                pool.sentinels().stream()
                        .map(Server::name)
                        .sorted(Comparator.comparing(String::length).thenComparing(name -> name))
                        .collect(Collectors.joining(" "));
        JsonElement expectedSentinels = directives.get("sentinels");
        assertEquals(expectedSentinels == null ? "" : expectedSentinels.getAsString(), sentinels);
        JsonElement hosts = directives.get("host_zones");
        assertEquals(
                hosts == null ? Set.of() : Set.of(hosts.getAsString().split(" ")),
                pool.zone().hosts());
        JsonElement replicas = directives.get("replicas");
        assertEquals(
                replicas == null ? "" : replicas.getAsString(),
                PoolTopology.of(pool).nodes().stream()
                        .filter(node -> node.role() == Role.REPLICA)
                        .map(
                                node ->
                                        node.name()
                                                + " "
                                                + PoolTopology.of(pool)
                                                        .nodes()
                                                        .get(node.master())
                                                        .name())
                        .collect(Collectors.joining(", ")));
        for (String label : directives.keySet()) {
            assertTrue(Directive.named(label) != null, label);
        }
        PoolTopology topology = PoolTopology.of(pool);
        assertEquals(expected.get("fingerprint").getAsString(), topology.fingerprint());
        List<String> servers = new ArrayList<>();
        for (JsonObject server : Spec.objects(expected.getAsJsonArray("servers"))) {
            servers.add(
                    server.get("name") + " " + server.get("address") + " " + server.get("weight"));
        }
        assertEquals(servers, pool.servers().stream().map(ConfigTest::line).toList());
        List<String> nodes =
                topology.nodes().stream()
                        .filter(node -> node.role() != Role.REPLICA)
                        .limit(pool.servers().size()) // The servers of moving_from follow.
                        .map(ConfigTest::line)
                        .sorted()
                        .toList();
        assertEquals(servers.stream().sorted().toList(), nodes);
    }

    private static String line(Server server) {
        return new JsonPrimitive(server.name())
                + " "
                + new JsonPrimitive(server.address())
                + " "
                + server.weight();
    }

    private static String line(Node node) {
        return new JsonPrimitive(node.name())
                + " "
                + new JsonPrimitive(node.address())
                + " "
                + node.weight();
    }

    private static String text(Object value) {
        if (value instanceof Hash hash) {
            return hash.label();
        }
        if (value instanceof Distribution distribution) {
            return distribution.label();
        }
        if (value instanceof ReadFrom from) {
            return from.label();
        }
        if (value instanceof TlsVerify verify) {
            return verify.label();
        }
        if (value instanceof HashTag tag) {
            return new String(new byte[] {tag.open(), tag.close()}, StandardCharsets.UTF_8);
        }
        return String.valueOf(value);
    }

    @ParameterizedTest
    @MethodSource("bad")
    void aBadConfigurationIsRejectedWithItsLineAndReason(String name) {
        ConfigCase test = ConfigCase.BAD.get(name);
        JsonObject expected = test.head();
        ConfigException fault =
                assertThrows(
                        ConfigException.class, () -> Config.parse(test.text(), test::variable));
        if (!expected.get("reason").isJsonNull()) {
            assertEquals(expected.get("reason").getAsString(), fault.reason());
        }
        if (!expected.get("line").isJsonNull()
                && !fault.reason().equals("the text is not valid YAML")) {
            assertEquals(expected.get("line").getAsInt(), fault.line());
        }
        List<ConfigError> errors = List.of(new ConfigError(fault.line(), fault.reason()));
        if (expected.has("errors")) {
            errors =
                    Spec.objects(expected.getAsJsonArray("errors")).stream()
                            .map(ConfigTest::error)
                            .toList();
        }
        assertEquals(errors, fault.errors());
        assertEquals(expected.has("more") ? expected.get("more").getAsInt() : 0, fault.more());
    }

    private static ConfigError error(JsonObject error) {
        return new ConfigError(error.get("line").getAsInt(), error.get("reason").getAsString());
    }

    @Test
    void theMessageListsAllErrors() {
        assertEquals(
                "line 2: directive \"hash\" has no value;"
                        + " line 3: directive \"redis\" is not \"true\" or \"false\": \"ja\"",
                fault("p:\n  hash:\n  redis: ja\n").getMessage());
        String many = fault("p:\n  servers:\n" + "  - x\n".repeat(13)).getMessage();
        assertTrue(many.endsWith(": \"x\"; and 3 more errors"), many);
    }

    @Test
    void variablesAreThoseOfTheProcess() throws ConfigException {
        Map.Entry<String, String> variable =
                System.getenv().entrySet().stream()
                        .filter(each -> each.getKey().matches("[A-Za-z_][A-Za-z0-9_]*"))
                        .filter(each -> each.getValue().matches("[ -~]{1,4096}"))
                        .findFirst()
                        .orElseThrow();
        String text = "p:\n  engine: redis\n  redis_auth: ${" + variable.getKey() + "}\n";
        Config config = Spec.config(text + "  servers: [h:1]\n");
        assertEquals(variable.getValue(), config.pool("p").redisAuth());
    }

    /** Java puts U+FFFD where it cannot decode a byte of the environment. */
    @Test
    void aVariableThatCannotBeDecodedIsRefused() {
        byte[] text = "p: {engine: redis, redis_auth: '${A}', servers: [h:1]}".getBytes();
        ConfigException fault =
                assertThrows(ConfigException.class, () -> Config.parse(text, name -> "a\ufffd"));
        assertEquals(
                "directive \"redis_auth\" needs the environment variable \"A\", which has a"
                        + " character that is not allowed",
                fault.reason());
    }

    @Test
    void aTextThatIsNoYamlIsReportedWhereItBreaks() {
        String good = "alpha:\n  listen: h:1\n  servers:\n  - h:1:1\n";
        for (String broken :
                List.of(
                        "  - a: b: c",
                        "  redis: \"\\q\"",
                        "  redis: true listen: x",
                        "  - @",
                        "  -\ta")) {
            assertEquals(
                    "line 5: the text is not valid YAML",
                    fault(good + broken + "\n").getMessage(),
                    broken);
        }
    }

    /**
     * Texts about which the YAML library alone would decide differently from nutcracker. All of
     * them were tried with libyaml.
     */
    @Test
    void tabsAndKeysAreReadAsNutcrackerReadsThem() {
        for (String listen :
                List.of(
                        "listen:\th:1",
                        "listen: \t h:1\t# c",
                        "\"listen\"\t:\t\"h:1\"\t#c",
                        "'listen' \t : 'h:1'\t",
                        "? listen \t\n  : h:1",
                        "? \"listen\"\t# c\n  :  h:1")) {
            Config config = Spec.config("alpha:\n  " + listen + "\n  servers:\n  - h:1:1\t\n");
            assertEquals("h:1", config.pool("alpha").value(Directive.LISTEN));
        }
        for (String listen :
                List.of(
                        "?\tlisten\n  : h:1",
                        "? \tlisten\n  : h:1",
                        "? listen\n  :\th:1",
                        "? listen\n  \"h:1\"",
                        "? listen\n  h:1",
                        "listen\t\"h:1\"")) {
            ConfigException fault = fault("alpha:\n  " + listen + "\n  servers:\n  - h:1:1\n");
            assertEquals("the text is not valid YAML", fault.reason(), listen);
        }
    }

    @ParameterizedTest
    @MethodSource("good")
    void aConfigurationCutAnywhereIsReadOrRejectedButNeverCrashes(String name) {
        byte[] text = ConfigCase.GOOD.get(name).text();
        // Files are cut at every byte. For a file of a megabyte that would take hours, so it is
        // cut at fifty places.
        int step = text.length < 10_000 ? 1 : text.length / 50;
        for (int length = 0; length < text.length; length += step) {
            readOrReject(Arrays.copyOf(text, length));
        }
    }

    @ParameterizedTest
    @MethodSource("good")
    void aDamagedConfigurationIsReadOrRejectedButNeverCrashes(String name) {
        byte[] text = ConfigCase.GOOD.get(name).text();
        Random random = new Random(name.hashCode());
        String marks = "-?:,[]{}#&*!|>'\"%@`\\ \t\n\r\0\u0085~=<.0";
        for (int round = 0; round < (text.length < 10_000 ? 300 : 10); round++) {
            byte[] damaged = text.clone();
            for (int i = random.nextInt(6); i >= 0 && damaged.length > 0; i--) {
                int mark = marks.charAt(random.nextInt(marks.length()));
                damaged[random.nextInt(damaged.length)] =
                        (byte) (random.nextBoolean() ? mark : random.nextInt());
            }
            readOrReject(damaged);
        }
    }

    /** Any other exception fails the test. */
    private static void readOrReject(byte[] text) {
        String characters = new String(text, StandardCharsets.ISO_8859_1).replace("\r\n", "\n");
        long lines = characters.chars().filter(c -> c == '\n' || c == '\r').count() + 1;
        try {
            assertFalse(Config.parse(text).pools().isEmpty());
        } catch (ConfigException fault) {
            assertTrue(fault.line() >= 1 && fault.line() <= lines + 1, fault.getMessage());
            assertTrue(fault.reason().length() <= Limits.MESSAGE_BYTES_MAX, fault.reason());
            assertTrue(fault.reason().chars().allMatch(c -> c >= ' ' && c <= '~'), fault.reason());
        }
    }

    static Stream<String> hostile() {
        int size = 500_000;
        Stream<String> parts =
                Stream.of(
                        "[", "{", "[{", "- ", "? ", "a: ", "&a ", "!a ", "*a\n", "\"", "'", "a",
                        "\n", "%", "%A\n", "---\n", "a: b\n", "#", "a:\t", "a #", "- a\n");
        Stream<String> endless =
                Stream.of("a:\n b: |\n" + "  x\n".repeat(size), "a:\n  b:" + "\t".repeat(size));
        return Stream.concat(parts.map(part -> part.repeat(size)), endless);
    }

    @ParameterizedTest
    @MethodSource("hostile")
    void aLargeHostileTextIsRejected(String text) {
        fault(text);
    }

    @Test
    void aFileIsReadWhole(@TempDir Path folder) throws IOException, ConfigException {
        byte[] text = ConfigCase.GOOD.get("smallest").text();
        Path file = Files.write(folder.resolve("nutcracker.yml"), text);
        assertEquals("alpha", Config.read(file).pools().get(0).name());
        assertNull(Config.read(file).pool("beta"));
        assertThrows(NoSuchFileException.class, () -> Config.read(folder.resolve("missing.yml")));
        assertThrows(IOException.class, () -> Config.read(folder));
    }

    @Test
    void aPasswordIsNeverShown() throws ConfigException {
        String text =
                "p:\n  listen: h:1\n  redis: true\n  redis_auth: s3cret\n  servers:\n  - h:1:1\n";
        ServerPool pool = Spec.config(text).pool("p");
        assertEquals("s3cret", pool.redisAuth());
        assertFalse(pool.toString().contains("s3cret"));
        String reason = fault(text.replace("true", "false")).reason();
        assertFalse(reason.contains("s3cret"), reason);
    }

    private static ConfigException fault(String text) {
        return assertThrows(
                ConfigException.class, () -> Config.parse(text.getBytes(StandardCharsets.UTF_8)));
    }

    /**
     * A case of chapter config: its head, and the bytes of its text. The files of cases say how
     * they write these bytes.
     */
    private record ConfigCase(JsonObject head, byte[] text) {
        private static final String BEGINNING = "\n=== ";

        static final Map<String, ConfigCase> GOOD = all("config/cases/good.txt");
        static final Map<String, ConfigCase> BAD = all("config/cases/bad.txt");

        /** The cases of a file, by name. */
        private static Map<String, ConfigCase> all(String path) {
            String file = new String(Spec.bytes(path), UTF_8);
            Map<String, ConfigCase> cases = new LinkedHashMap<>();
            int next = file.indexOf(BEGINNING);
            while (next >= 0) {
                int name = next + BEGINNING.length();
                int head = file.indexOf('\n', name);
                int text = file.indexOf("\n\n", head) + 2;
                next = file.indexOf(BEGINNING, name);
                ConfigCase read =
                        of(
                                JsonParser.parseString(file.substring(head, text))
                                        .getAsJsonObject(),
                                file.substring(text, next < 0 ? file.length() : next + 1));
                if (cases.put(file.substring(name, head), read) != null) {
                    throw new AssertionError(path + " has two cases of one name.");
                }
            }
            return cases;
        }

        private static ConfigCase of(JsonObject head, String text) {
            return new ConfigCase(
                    head, head.has("built") ? built(head).getBytes(UTF_8) : withBytes(head, text));
        }

        /** The parts of a text, each repeated. */
        private static String built(JsonObject head) {
            StringBuilder text = new StringBuilder();
            for (JsonElement part : head.getAsJsonArray("built")) {
                String piece = part.getAsJsonArray().get(0).getAsString();
                int times = part.getAsJsonArray().get(1).getAsInt();
                for (int n = 0; n < times; n++) {
                    text.append(piece.replace("{n}", String.valueOf(n)));
                }
            }
            return text.toString();
        }

        /**
         * The text as bytes, in which each placeholder is replaced by the bytes that it stands for.
         * Until then each character counts as one byte.
         */
        private static byte[] withBytes(JsonObject head, String text) {
            String bytes = new String(text.getBytes(UTF_8), ISO_8859_1);
            if (head.has("bytes")) {
                for (var standIn : head.getAsJsonObject("bytes").entrySet()) {
                    byte[] hex = HexFormat.of().parseHex(standIn.getValue().getAsString());
                    bytes = bytes.replace(standIn.getKey(), new String(hex, ISO_8859_1));
                }
            }
            return bytes.getBytes(ISO_8859_1);
        }

        /** The value of an environment variable, or null. */
        String variable(String name) {
            JsonObject variables = head.getAsJsonObject("environment");
            return variables != null && variables.has(name)
                    ? variables.get(name).getAsString()
                    : null;
        }
    }
}
