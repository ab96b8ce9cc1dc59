package io.onehop.cli;

import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import redis.clients.jedis.Jedis;

import java.nio.file.Path;
import java.util.stream.Stream;

/** Each fault of a command line, a file or a node gives one line, and its exit status. */
class FaultsTest {
    private static final String POOL =
            ":\n  engine: redis\n  timeout: 30000\n  servers:\n   - 127.0.0.1:1\n";

    @TempDir Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "2 | Missing required subcommand |",
                "2 | did you mean spread? | spred",
                "2 | Unknown subcommand 'foo' | help foo",
                "2 | Unknown option: '--foo' | check --foo x",
                "2 | Missing required parameter: 'FILE' | check",
                "2 | Unmatched argument | check good.yml more",
                "2 | no such file | check nofile.yml",
                "2 | Is a directory | check /",
                "2 | Missing required parameter: 'KEY' | explain -c good.yml",
                "2 | which configuration file? | explain key",
                "2 | Missing required parameter for option '--config' | explain key -c",
                "2 | cannot read nofile.yml: no such file | explain key -c nofile.yml",
                "2 | bad.yml, line 2: directive \"hsah\" is unknown | explain key -c bad.yml",
                "2 | server pool \"beta\" is not in | explain key -c good.yml -p beta",
                "2 | has 2 server pools: --pool must be one of a, b | explain key -c two.yml",
                "2 | speaks memcached | explain key -c cached.yml",
                "2 | 'x' is not a whole number | spread -c good.yml --sample x",
                "2 | --sample is -1 | spread -c good.yml --sample -1",
                "2 | --rate is 0 | spread -c good.yml --rate 0",
                "2 | cannot read nofile: no such file | spread -c good.yml -k nofile",
                "2 | Is a directory | spread -c good.yml -k /",
                "2 | Missing required parameter: 'NEW' | diff good.yml",
                "2 | cannot read nofile.yml | diff good.yml nofile.yml",
                "2 | is not in | diff good.yml good.yml --new-pool b",
                "2 | 'x' is not a whole number | doctor -c good.yml --big x",
                "2 | --sample is -1 | doctor -c good.yml --sample -1",
                "2 | --every is 0 | top -c good.yml --every 0",
                "2 | --count is 0 | top -c good.yml --count 0",
                "2 | --looks is 0 | hot -c good.yml --looks 0",
                "2 | which configuration file? | status",
                "2 | the server has an invalid port | init --server 10.0.0.1:99999",
                "2 | --most is 0 | hot -c good.yml --most 0",
                "2 | --big is 0 | doctor -c good.yml --big 0",
                "2 | '1e3' is not a whole number | top -c good.yml --every 1e3",
                "2 | the name of a file is empty | check EMPTY",
                "2 | the name of a file is empty | spread -c good.yml -k EMPTY",
                "2 | the name of a file is empty | diff EMPTY EMPTY",
                "2 | the name of the new file is empty | init EMPTY",
                "2 | --pool is \"\" | init --pool EMPTY",
                "2 | --pool is \"a:\" | init --pool a:",
                "2 | --server is \"h:1#x\" | init --server h:1#x",
                "2 | --server is \"\" | init --server EMPTY",
                "2 | has no moving_from | plan -c good.yml",
                "2 | has no moving_from | move -c good.yml",
                "2 | --rate is x | plan -c moving.yml --rate x",
                "2 | --block is 0 | move -c moving.yml --block 0",
                "2 | --sample is -1 | plan -c moving.yml --sample -1",
                "2 | Unmatched argument at index 4: 'b' | move -c moving.yml a b",
                "2 | server pool \"b\" is not in | move -c moving.yml b",
                "3 | Connection refused | plan -c moving.yml",
                "2 | (onehop generate-man-page --help) | generate-man-page more",
                "2 | Unmatched argument | status -c good.yml @good.yml",
                "2 | is there already | init good.yml",
                "2 | cannot write | init /no/such/folder/file",
                "3 | Connection refused | hot -c good.yml",
                "3 | server pool a | status -c cluster.yml",
                "3 | server pool a | doctor -c cluster.yml",
                "3 | Connection refused | spread -c good.yml",
                "3 | Connection refused | diff good.yml good.yml",
                "3 | server pool a | explain key -c cluster.yml",
            })
    void aFaultIsOneLine(int status, String text, String line) throws Exception {
        Ran.file(folder, "good.yml", "a" + POOL);
        Ran.file(folder, "moving.yml", "a" + POOL + "  moving_from:\n   - 127.0.0.1:2\n");
        Ran.file(folder, "two.yml", "a" + POOL + "b" + POOL);
        Ran.file(folder, "bad.yml", "a:\n  hsah: x\n");
        Ran.file(folder, "cached.yml", "a:\n  listen: 127.0.0.1:1\n  servers:\n   - h:1:1\n");
        Ran.file(folder, "cluster.yml", "a:\n  cluster: true\n  servers:\n   - 127.0.0.1:1\n");
        Object[] words =
                line == null
                        ? new Object[0]
                        : Stream.of(line.split(" "))
                                .map(word -> word.equals("EMPTY") ? "" : word)
                                .map(word -> word.endsWith(".yml") ? folder.resolve(word) : word)
                                .toArray();
        Ran.of(words)
                .refused(status, text.replace("nofile.yml", folder.resolve("nofile.yml") + ""));
    }

    @Test
    void aNodeThatRefusesThePasswordIsNamed() throws Exception {
        try (RedisServer server = RedisServer.start("requirepass", "secret")) {
            String text =
                    Nodes.configOf(
                            Stream.of(server.server()), "redis_auth: wrong", "timeout: 30000");
            Path file = Ran.file(folder, "a.yml", text);
            Ran.of("spread", "-c", file).refused(ExitStatus.NO_ANSWER, server.node());
        }
    }

    @Test
    void aNodeThatRefusesACommandIsNamed() throws Exception {
        try (RedisServer server = RedisServer.start();
                Jedis jedis = server.jedis()) {
            jedis.aclSetUser("ops", "on", ">secret", "~*", "+@all", "-scan");
            jedis.set("key", "value");
            String[] directives = {"username: ops", "redis_auth: secret", "timeout: 30000"};
            String text = Nodes.configOf(Stream.of(server.server()), directives);
            Ran.of("spread", "-c", Ran.file(folder, "a.yml", text))
                    .refused(ExitStatus.NO_ANSWER, "node " + server.node() + ": NOPERM");
        }
    }

    @Test
    void helpAndVersionAreFine() {
        Ran.of("--help").with(ExitStatus.FINE).says("Exit status:").says("  0   Fine.");
        Ran.of("--version").with(ExitStatus.FINE).says("onehop ");
        Ran.of("generate-completion").with(ExitStatus.FINE).says("complete -F");
        Ran.of("help", "spread").with(ExitStatus.FINE).says("Usage: onehop spread");
        Stream.of(
                        "check", "explain", "spread", "diff", "plan", "move", "doctor", "status",
                        "top", "hot", "init")
                .forEach(
                        each -> Ran.of(each, "--help").with(ExitStatus.FINE).says("Usage: onehop"));
    }
}
