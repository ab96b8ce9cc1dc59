package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertBegins;
import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.ErrorKind;
import io.onehop.jedis.lab.Log;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.args.BitOP;
import redis.clients.jedis.args.ListDirection;
import redis.clients.jedis.commands.ProtocolCommand;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Configurations that are refused when a client is built, and commands that are refused unsent. */
class ConfigurationTest {
    private static final String GOOD = Nodes.configOf(Stream.of("127.0.0.1:1:1"));

    @TempDir private Path folder;

    private static ConfigInvalid refused(OneHopClient.Builder builder) {
        ConfigInvalid failure = assertThrows(ConfigInvalid.class, builder::build);
        assertEquals(ErrorKind.CONFIG_INVALID, failure.getKind());
        assertNull(failure.getNode());
        assertFalse(failure.mayHaveExecuted());
        return failure;
    }

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("nutcracker.yml"), text);
    }

    /* ---- Configurations ---- */

    @Test
    void aFileAndAPoolMakeAClient() throws IOException {
        try (RedisServer server = RedisServer.start();
                UnifiedJedis redis =
                        Nodes.clientOf(file(Nodes.configOf(Stream.of(server.server()))))) {
            assertEquals("OK", redis.set("key", "value"));
            assertEquals("value", redis.get("key"));
        }
    }

    @Test
    void theTopologySaysWhereAKeyIs() {
        try (OneHopClient redis = Nodes.clientOf(GOOD)) {
            assertEquals("127.0.0.1:1", redis.topology().locate("any").name());
            assertSame(redis.topology(), redis.topology());
            assertEquals(32, redis.topology().fingerprint().length());
        }
    }

    @Test
    void aPathThatIsGivenAsTheTextIsRecognized() {
        assertEquals(
                "This is a path, not the text of a configuration; call config(Path)",
                refused(OneHopClient.builder().configText("/etc/x.yml").pool("alpha"))
                        .getMessage());
    }

    @Test
    void aTimeoutThatMayBeMeantAsSecondsIsLogged() {
        try (Log log = new Log()) {
            for (int timeout : new int[] {0, 1, 9, 10}) {
                String text = "alpha: {engine: redis, servers: ['h:1'], timeout: " + timeout + "}";
                Nodes.clientOf(text).close();
            }
            assertEquals(
                    List.of(
                            "warning: server pool alpha has a timeout of 1 ms: are seconds meant?",
                            "warning: server pool alpha has a timeout of 9 ms: are seconds meant?"),
                    log.taken());
        }
    }

    @Test
    void aPasswordThatMayBeMeantAsAVariableIsLogged() {
        try (Log log = new Log()) {
            for (String password : List.of("$PW", "$_a0", "$", "$1", "$a b", "a$PW")) {
                String text =
                        "alpha: {engine: redis, servers: ['h:1'], redis_auth: '" + password + "'}";
                Nodes.clientOf(text).close();
            }
            String line =
                    "warning: the password of server pool alpha looks like a variable and is taken"
                            + " as it is: only ${NAME} in the file of a OneHop pool is one";
            assertEquals(List.of(line, line), log.taken());
        }
    }

    @Test
    @Timeout(
            value = 60,
            threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // No process writes into the FIFO.
    void aFifoAndADeviceAreRefusedByTheirKind() throws Exception {
        Path fifo = folder.resolve("fifo");
        assertEquals(0, new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor());
        for (Path path : List.of(fifo, Path.of("/dev/null"))) {
            assertEquals(
                    "Configuration "
                            + path
                            + ": it is a FIFO, a device or a socket, not a file; correct the"
                            + " file, or name another one",
                    refused(OneHopClient.builder().config(path).pool("alpha")).getMessage());
        }
        assertEquals(
                "Configuration "
                        + folder
                        + ": Is a directory; correct the file, or name another one",
                refused(OneHopClient.builder().config(folder).pool("alpha")).getMessage());
        Path loop = folder.resolve("loop");
        Files.createSymbolicLink(loop, loop);
        String message = refused(OneHopClient.builder().config(loop).pool("alpha")).getMessage();
        assertTrue(message.contains("Too many levels of symbolic links"), message);
    }

    @Test
    void aPoolThatIsNotInTheFileIsRefusedByItsName() throws IOException {
        Path file = file(GOOD);
        assertEquals(
                "There is no server pool beta in " + file + ", only alpha; name one of these",
                refused(OneHopClient.builder().config(file).pool("beta")).getMessage());
        assertEquals(
                "There is no server pool beta in the configuration, only alpha; name one of these",
                refused(OneHopClient.builder().configText(GOOD).pool("beta")).getMessage());
    }

    @Test
    void aUrlIsRefusedAndNotShown() throws IOException {
        String url = "redis://:hidden@127.0.0.1:6379";
        for (OneHopClient.Builder builder :
                List.of(
                        OneHopClient.builder().configText(GOOD).pool(url),
                        OneHopClient.builder().config(file(GOOD)).pool(url),
                        OneHopClient.builder().config(Path.of(url)).pool("alpha"))) {
            String message = refused(builder).getMessage();
            assertTrue(message.startsWith("Expected the name of a server pool"), message);
            assertFalse(message.contains("hidden"), message);
        }
    }

    @Test
    void aFileThatIsNotThereOrAFolderOrTooLargeIsRefusedByItsName() throws IOException {
        Path large = file("#".repeat(1 << 20) + "\n" + GOOD);
        for (Path bad : List.of(folder.resolve("missing.yml"), folder, large)) {
            String message = refused(OneHopClient.builder().config(bad).pool("alpha")).getMessage();
            assertTrue(message.matches("Configuration " + bad + "(, line 1)?: .*"), message);
        }
        Path missing = folder.resolve("missing.yml");
        assertBegins(
                "Configuration " + missing + ": No such file or directory; ",
                refused(OneHopClient.builder().config(missing).pool("alpha")));
    }

    @Test
    void aBadFileIsRefusedWithLineAndReason() throws IOException {
        Path file = file(GOOD.replace("redis: true", "redis: yes"));
        assertEquals(
                "Configuration "
                        + file
                        + ", line 3: directive \"redis\" is not \"true\" or \"false\": \"yes\""
                        + " (did you mean \"true\"?); correct the file, or name another one",
                refused(OneHopClient.builder().config(file).pool("alpha")).getMessage());
        String message =
                refused(
                                OneHopClient.builder()
                                        .configText("alpha:\n  listen: 127.0.0.1:1\n  server: x\n")
                                        .pool("alpha"))
                        .getMessage();
        assertTrue(message.startsWith("Configuration, line 3: "), message);
    }

    @Test
    void allErrorsOfAFileAreNamedWithWhatWasProbablyMeant() throws IOException {
        Path file =
                file(
                        """
                        alpha:
                          cluster: ture
                          timout: 400
                          redis_auth: ${ONEHOP_NOT_SET}
                          servers:
                          - 10.0.0.1
                          - 10.0.0.2:6379
                        """);
        assertEquals(
                "Configuration "
                        + file
                        + ", line 2: directive \"cluster\" is not \"true\" or \"false\": \"ture\""
                        + " (did you mean \"true\"?); line 3: directive \"timout\" is unknown (did"
                        + " you mean \"timeout\"?); line 4: directive \"redis_auth\" needs the"
                        + " environment variable \"ONEHOP_NOT_SET\", which is not set; line 6: the"
                        + " server is not \"host:port[:weight] [name]\" or \"/path[:weight]"
                        + " [name]\": \"10.0.0.1\"; correct the file, or name another one",
                refused(OneHopClient.builder().config(file).pool("alpha")).getMessage());
    }

    @Test
    void aMemcachedPoolIsRefusedAndTheMessageSaysWhatIsMissing() {
        for (String redis : List.of("  redis: false\n", "")) {
            String text = GOOD.replace("  redis: true\n", redis);
            assertEquals(
                    "Server pool alpha speaks memcached; set \"redis: true\" if its servers"
                            + " speak redis",
                    refused(OneHopClient.builder().configText(text).pool("alpha")).getMessage());
        }
    }

    @Test
    void aBuilderWithoutAConfigurationOrAPoolIsRefused() {
        refused(OneHopClient.builder().pool("alpha"));
        refused(OneHopClient.builder().configText(GOOD));
        refused(OneHopClient.builder());
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u001b[31m\"\n", "a pool of a name without end "})
    void aStrangePoolNameIsEscapedAndCutInTheMessage(String name) {
        String message =
                refused(OneHopClient.builder().configText(GOOD).pool(name.repeat(100)))
                        .getMessage();
        assertTrue(message.matches("[ -~]{1,500}"), message);
    }

    @Test
    void aFileThatIsCutAtAnyByteIsAcceptedOrRefused() {
        byte[] whole =
                Nodes.configOf(
                                Stream.of("127.0.0.1:1:1 one", "127.0.0.1:2:1 two"),
                                "hash_tag: \"{}\"",
                                "redis_auth: secret",
                                "timeout: 400")
                        .getBytes(StandardCharsets.UTF_8);
        int refusals = 0;
        for (int end = 0; end < whole.length; end++) {
            String cut = new String(whole, 0, end, StandardCharsets.UTF_8);
            try (OneHopClient redis = Nodes.clientOf(cut)) {
                assertFalse(redis.topology().nodes().isEmpty());
            } catch (ConfigInvalid refusal) {
                refusals++;
                assertFalse(refusal.getMessage().contains("secret"), refusal.getMessage());
            }
        }
        assertTrue(refusals > whole.length / 2, refusals + " of " + whole.length);
    }

    @Test
    void buildingAClientConnectsToNothing() {
        try (ScriptedNode node = ScriptedNode.start(ScriptedNode.Talk::awaitClose);
                OneHopClient redis = node.client()) {
            assertEquals(1, redis.topology().nodes().size());
            redis.pipelined().close();
            assertEquals(0, node.connections());
        }
    }

    /* ---- Commands ---- */

    /** Every command that cannot be routed, in every spelling. */
    @SuppressWarnings("deprecation") // Jedis keeps old spellings, so they must be refused, too.
    private static Map<String, Executable> unroutable(OneHopClient redis) {
        Map<String, Executable> calls = new LinkedHashMap<>();
        calls.put("ftSearch", () -> redis.ftSearch("index"));
        String names =
                "SELECT auth Hello RESET quit MULTI EXEC DISCARD WATCH UNWATCH SUBSCRIBE SSUBSCRIBE"
                        + " MONITOR ASKING READONLY SYNC PSYNC FT.SEARCH ft.search";
        for (String name : names.split(" ")) {
            calls.put(
                    name + " with a sample key",
                    () ->
                            redis.sendCommand(
                                    "key", () -> name.getBytes(StandardCharsets.UTF_8), "key"));
            calls.put(
                    name + " with a key of its own",
                    () ->
                            redis.executeCommand(
                                    new CommandArguments(
                                                    () -> name.getBytes(StandardCharsets.UTF_8))
                                            .key("key")));
        }
        return calls;
    }

    /** A node that remembers every command it gets, and answers OK. */
    private static ScriptedNode remembering(List<String> seen) {
        return ScriptedNode.start(
                talk -> {
                    for (List<String> command : talk.commands()) {
                        seen.add(command.get(0));
                        talk.send("+OK\r\n");
                    }
                });
    }

    @Test
    void commandsThatCannotBeRoutedAreRefusedBeforeAByteIsSent() {
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        try (ScriptedNode node = remembering(seen);
                OneHopClient redis = node.client()) {
            Map<String, Executable> calls = unroutable(redis);
            calls.forEach(
                    (name, call) -> {
                        Unsupported failure = assertThrows(Unsupported.class, call, name);
                        assertEquals(ErrorKind.UNSUPPORTED, failure.getKind(), name);
                        assertFalse(failure.mayHaveExecuted(), name);
                        assertSays("the command was not sent", failure);
                        assertSays(", server pool alpha: ", failure);
                    });
            assertEquals(0, node.connections());
            // Now there is an open connection, over which the commands could be sent.
            assertEquals("OK", redis.set("key", "value"));
            calls.forEach((name, call) -> assertThrows(Unsupported.class, call, name));
            assertEquals("OK", redis.set("key", "value"));
            assertEquals(List.of("PING", "SET", "SET"), seen);
            assertEquals(1, node.connections());
            Inspected.assertNothingLeased(redis);
        }
    }

    private static void assertUnsupported(String name, Executable call) {
        Unsupported failure = assertThrows(Unsupported.class, call);
        assertFalse(failure.mayHaveExecuted());
        assertBegins(name + " is not supported, server pool alpha: ", failure);
        assertSays("the command was not sent; ", failure);
    }

    private static void assertAdvises(String advice, Executable call) {
        assertSays(advice, assertThrows(Unsupported.class, call));
    }

    @Test
    @SuppressWarnings("deprecation") // Deprecated methods must be refused, too.
    void unsupportedMethodsAreRefusedByNameBeforeAConnectionIsMade() {
        ProtocolCommand lowerCase = () -> "select".getBytes(StandardCharsets.UTF_8);
        try (ScriptedNode node = ScriptedNode.start(ScriptedNode.Talk::awaitClose);
                OneHopClient redis = node.client()) {
            assertUnsupported("SELECT", () -> redis.sendCommand("key", Command.SELECT, "1"));
            assertUnsupported(
                    "SELECT",
                    () ->
                            redis.sendCommand(
                                    "key".getBytes(StandardCharsets.UTF_8),
                                    lowerCase,
                                    "1".getBytes(StandardCharsets.UTF_8)));
            assertUnsupported("MULTI", () -> redis.sendCommand("key", Command.MULTI));
            for (Command bound : List.of(Command.MULTI, Command.EXEC, Command.WATCH)) {
                assertAdvises(
                        "call multi() or transaction()",
                        () -> redis.sendCommand("key", bound, "key"));
            }
            assertAdvises(
                    "call subscribe(), psubscribe() or ssubscribe()",
                    () -> redis.sendCommand("key", Command.SUBSCRIBE, "key"));
            assertAdvises("set `redis_auth`", () -> redis.sendCommand("key", Command.HELLO, "3"));
            assertUnsupported(
                    "CLIENT REPLY", () -> redis.sendCommand("key", Command.CLIENT, "REPLY", "OFF"));
            assertUnsupported(
                    "SUBSCRIBE", () -> redis.sendCommand("key", Command.SUBSCRIBE, "a", "b"));
            assertUnsupported("FT.SEARCH", () -> redis.ftSearch("index", "query"));
            AbstractPipeline pipeline = redis.pipelined();
            assertUnsupported(
                    "HIMPORT",
                    () -> pipeline.sendCommand(new CommandArguments(Command.HIMPORT).key("key")));
            pipeline.close();
            assertEquals(0, node.connections());
        }
    }

    @Test
    void keysOnTwoNodesAreRefusedBeforeAByteIsSentAndTheMessageNamesThemAll() {
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        try (ScriptedNode one = remembering(seen);
                ScriptedNode two = remembering(seen);
                OneHopClient redis = Inspected.clientOf(Stream.of(one, two), "hash_tag: \"<>\"")) {
            String first = Nodes.keyOn(redis, one.node());
            String second = Nodes.keyOn(redis, two.node());
            List<Executable> calls =
                    List.of(
                            () -> redis.rename(first, second),
                            () -> redis.sinterstore(first, first, second),
                            () -> redis.eval("return 1", 2, first, second),
                            () -> redis.smove(first, second, "member"),
                            () -> redis.copy(first, second, true),
                            () -> redis.msetnx(first, "1", second, "2"),
                            () -> redis.pfmerge(first, second),
                            () -> redis.lmpop(ListDirection.LEFT, first, second),
                            () -> redis.zunionstore(first, first, second),
                            () -> redis.bitop(BitOP.AND, first, first, second));
            for (Executable call : calls) {
                CrossNode failure = assertThrows(CrossNode.class, call);
                String message = failure.getMessage();
                assertTrue(
                        message.contains(
                                "key \""
                                        + first
                                        + "\" is on node "
                                        + one.node()
                                        + ", key \""
                                        + second
                                        + "\" on node "
                                        + two.node()),
                        message);
                assertTrue(
                        message.contains(
                                "such as \"<"
                                        + first
                                        + ">\" and \"<"
                                        + first
                                        + ">"
                                        + second
                                        + "\""),
                        message);
                assertFalse(failure.mayHaveExecuted());
            }
            AbstractPipeline pipeline = redis.pipelined();
            assertThrows(CrossNode.class, () -> pipeline.rename(first, second));
            pipeline.sync();
            assertEquals(List.of(), seen);
            assertEquals(0, one.connections() + two.connections());
        }
    }

    @Test
    void theKeysThatCrossNodeSuggestsAreOnOneNode() {
        try (OneHopClient redis =
                Nodes.clientOf(
                        Stream.of("127.0.0.1:1:1", "127.0.0.1:2:1", "127.0.0.1:3:1"),
                        "hash_tag: \"{}\"")) {
            for (int i = 0; i < 200; i++) {
                String first =
                        i % 3 == 0 ? "user:{" + i + "}:name" : i % 3 == 1 ? "user:" + i : "{}" + i;
                String second = "other:" + i;
                if (redis.topology().locate(first) == redis.topology().locate(second)) {
                    continue;
                }
                String message =
                        assertThrows(CrossNode.class, () -> redis.rename(first, second))
                                .getMessage();
                String[] proposed =
                        message.substring(message.indexOf("such as \"") + 9, message.length() - 1)
                                .split("\" and \"");
                assertEquals(
                        redis.topology().locate(proposed[0]),
                        redis.topology().locate(proposed[1]),
                        message);
                // A tag cannot contain a closing brace, so this key cannot stay on its node.
                if (!first.startsWith("{}")) {
                    assertEquals(
                            redis.topology().locate(first),
                            redis.topology().locate(proposed[0]),
                            message);
                }
            }
        }
    }

    /** No server is needed: before a transaction ends, nothing is sent. */
    @Test
    void keysWithATagAreRefusedWithTheAdviceToSetHashTag() {
        String text = "alpha: {engine: redis, servers: ['127.0.0.1:1', '127.0.0.1:2']}";
        try (OneHopClient redis = Nodes.clientOf(text);
                AbstractTransaction transaction = redis.multi()) {
            String one = "{cart:0}:0";
            String other = one;
            for (int i = 1; redis.topology().locate(other) == redis.topology().locate(one); i++) {
                other = "{cart:0}:" + i;
            }
            String second = other;
            String split =
                    assertThrows(CrossNode.class, () -> redis.sinter(one, second)).getMessage();
            assertTrue(split.contains("hash_tag: \"{}\""), split);
            assertFalse(split.contains("{cart:0}{cart:0}"), split);
            transaction.set(one, "1");
            String bound =
                    assertThrows(CrossNode.class, () -> transaction.set(second, "2")).getMessage();
            assertTrue(bound.contains("set hash_tag: \"{}\" in the server pool"), bound);
        }
    }
}
