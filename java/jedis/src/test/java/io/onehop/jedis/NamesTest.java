package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.onehop.jedis.lab.Jvm;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Host names whose resolver is slow, dead or does not know them. Runs in a namespace with a
 * resolver of its own.
 */
class NamesTest {
    private static final Path DNS = Path.of("..", "..", "conformance", "lab", "dns.py");

    /**
     * One step for each silent address, and then the one that has answered comes first. One that
     * refuses is passed over.
     */
    @Test
    void aSilentAddressOfANameCostsAStep(@TempDir Path folder) {
        String hosts = folder.resolve("hosts").toString();
        assertEquals(
                """
                one.test: value, then quick
                two.test: value, then quick
                four.test: value, then quick
                refused.test: value, value
                """,
                Jvm.output(
                                "-Djdk.net.hosts.file=" + hosts,
                                "-cp",
                                Jvm.classPath(),
                                AddressesProgram.class.getName(),
                                hosts)
                        .replaceAll("(?m)^SLF4J: .*\\n", ""));
    }

    @Test
    void anUnresolvedNameCostsOnlyItsNodesKeysAndItsNodeRests(@TempDir Path folder)
            throws IOException {
        Path zone = folder.resolve("zone.json");
        Files.writeString(
                zone,
                """
                {"good.test": {"a": ["127.0.0.1"]}, "slow.test": {"a": ["127.0.0.1"], "delay": 30},
                 "silent.test": {"drop": true}, "failing.test": {"code": 2}}
                """);
        String output =
                Jvm.outputBeneath(
                        List.of(
                                "unshare",
                                "-m",
                                "-n",
                                "--",
                                "python3",
                                DNS.toString(),
                                zone.toString(),
                                "--"),
                        "-cp",
                        Jvm.classPath(),
                        NamesProgram.class.getName());
        assertEquals(
                """
                good.test: of named, of node-0, of node-1
                slow.test: Host name not resolved within 1000 ms, of node-0, of node-1; \
                in time; rests; nothing was sent
                silent.test: Host name not resolved within 1000 ms, of node-0, of node-1; \
                in time; rests; nothing was sent
                failing.test: Host name not resolved, of node-0, of node-1; \
                in time; rests; nothing was sent
                unknown.test: Host name not resolved, of node-0, of node-1; \
                in time; rests; nothing was sent
                """,
                output.replaceAll("(?m)^SLF4J: .*\\n", "")); // Jedis has no logger here.
    }

    @Test
    void aLookUpThatFailsForLackOfDescriptorsSaysNothingAboutTheNode() {
        String output =
                Jvm.outputBeneath(
                        List.of("prlimit", "--nofile=200", "--"),
                        "-Dsun.net.inetaddr.ttl=0",
                        "-Dsun.net.inetaddr.negative.ttl=0",
                        "-cp",
                        Jvm.classPath(),
                        FewDescriptorsProgram.class.getName());
        assertEquals("true, state 0\nvalue\n", output.replaceAll("(?m)^SLF4J: .*\\n", ""));
    }
}
