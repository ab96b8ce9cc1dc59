package io.onehop.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.config.Config;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** onehop check: all errors of a file at once. Without errors, what is probably not meant. */
class CheckCommandTest {
    private static final String WELL =
            "alpha:\n  engine: redis\n  hash: murmur\n  servers:\n"
                    + "   - 10.0.0.1:6379 one\n   - 10.0.0.2:6379 two\n";

    @TempDir Path folder;

    private Ran check(String text) throws IOException {
        return Ran.of("check", Ran.file(folder, "a.yml", text));
    }

    @Test
    void aFileWithNothingToSayIsFine() throws IOException {
        check(WELL).with(ExitStatus.FINE).says("a.yml: fine: 1 server pool, 2 servers");
    }

    @Test
    void allErrorsAreNamedWithTheirLines() throws IOException {
        Ran ran = check(WELL.replace("hash:", "hsah:").replace("6379 two", "99999 two"));
        ran.with(ExitStatus.FINDINGS)
                .says("a.yml:3: error: directive \"hsah\" is unknown (did you mean \"hash\"?)")
                .says("a.yml:6: error: the server has an invalid port")
                .says("2 errors, 0 warnings, 0 notes");
    }

    @Test
    void whatIsProbablyNotMeantIsAWarning() throws IOException {
        Ran ran =
                check(
                        WELL.replace("murmur", "murmur\n  timeout: 2\n  tls: true")
                                .replace("tls: true", "tls: true\n  tls_verify: none")
                                .replace("10.0.0.2", "10.0.0.1")
                                .replace("engine: redis", "redis_auth_file: /no/such/file"));
        ran.with(ExitStatus.FINDINGS)
                .says("warning: alpha has a timeout of 2 ms (the unit is milliseconds")
                .says("warning: alpha checks no certificate")
                .says("redis_auth_file that cannot be read here: no such file (/no/such/file")
                .says("a.yml:9: warning: alpha has 10.0.0.1:6379 twice, as nodes one and two");
    }

    @Test
    void aPasswordOfAVariableIsNoVariable() throws Exception {
        String text = WELL.replace("murmur", "murmur\n  redis_auth: ${P}");
        Config config = Config.parse(text.getBytes(StandardCharsets.UTF_8), name -> "$word");
        Path path = Ran.file(folder, "a.yml", text);
        ConfigFile file = new ConfigFile(path, text, config);
        assertEquals(List.of(), ConfigWarnings.of(file, file.pool(null)));
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
        for (String literal : List.of("$word", "'$${word}'")) {
            Files.writeString(path, text.replace("${P}", literal));
            int findings = literal.startsWith("$") ? ExitStatus.FINDINGS : ExitStatus.FINE;
            Ran.of("check", path).with(findings);
        }
    }

    @Test
    void inAPoolOfNutcrackerAVariableIsThePassword() throws IOException {
        check(
                        "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  timeout: 400\n"
                                + "  redis_auth: ${REDIS_PASSWORD}\n  servers:\n"
                                + "   - 10.0.0.1:6379:1\n")
                .with(ExitStatus.FINDINGS)
                .says("a password that looks like a variable; variables need");
    }

    @Test
    void aPasswordThatOthersMayReadIsAWarning() throws IOException {
        Path file = Ran.file(folder, "a.yml", WELL.replace("murmur", "murmur\n  redis_auth: x"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        Ran.of("check", file).with(ExitStatus.FINDINGS).says("warning: alpha has a password");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        Ran.of("check", file).with(ExitStatus.FINE);
    }

    @Test
    void aNutcrackerFileHasNotesButIsFine() throws IOException {
        check(
                        "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  timeout: 400\n"
                                + "  auto_eject_hosts: true\n  servers:\n"
                                + "   - 10.0.0.1:6379:1\n   - 10.0.0.2:6379:1\n")
                .with(ExitStatus.FINE)
                .says("note: alpha moves keys of a dead node")
                .says("note: alpha has the hash fnv1a_64")
                .says("note: alpha places keys by addresses");
    }

    @Test
    void aPoolWithoutTimeoutAndOneOfMemcachedAreWarnings() throws IOException {
        check(
                        "a:\n"
                                + "  listen: 127.0.0.1:1\n"
                                + "  redis: true\n"
                                + "  timeout: 0\n"
                                + "  servers:\n"
                                + "   - 10.0.0.1:6379:1\n"
                                + "b:\n"
                                + "  listen: 127.0.0.1:2\n"
                                + "  servers:\n"
                                + "   - 10.0.0.1:11211:1\n")
                .with(ExitStatus.FINDINGS)
                .says("a.yml:1: warning: a has no timeout")
                .says("a.yml:7: warning: b speaks memcached");
    }

    @Test
    void jsonHasTheSame() throws IOException {
        Path good = Ran.file(folder, "good.yml", WELL);
        Path bad = Ran.file(folder, "bad.yml", WELL.replace("hash:", "hsah:"));
        assertTrue(Ran.of("check", "--json", good).json().get("valid").getAsBoolean());
        Ran ran = Ran.of("check", bad, "--json").with(ExitStatus.FINDINGS);
        assertFalse(ran.json().get("valid").getAsBoolean());
        assertEquals(1, ran.json().getAsJsonArray("findings").size());
    }
}
