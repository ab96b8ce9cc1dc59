package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.onehop.jedis.lab.Jvm;
import io.onehop.jedis.lab.Nodes;

import org.junit.jupiter.api.Test;

import java.util.List;

/**
 * What no node accepts is refused before any of it is sent. A node would close the connection, as
 * if it were down.
 */
class HugeValuesTest {
    private static final String REFUSAL =
            "A key or value is larger than 512 MiB, the most a node takes, "
                    + "server pool alpha: the command was not sent; split it";
    private static final String REFUSED = "io.onehop.jedis.Unsupported: " + REFUSAL;

    @Test
    void aValueAbove512MiBIsRefusedUnsentAndNoNodeRestsForIt() {
        try (Nodes nodes = Nodes.start(2)) {
            List<String> said =
                    Jvm.output(
                                    "-Xmx800m",
                                    "-cp",
                                    Jvm.classPath(),
                                    HugeProgram.class.getName(),
                                    nodes.config(
                                            "timeout: 30000",
                                            "auto_eject_hosts: true",
                                            "server_failure_limit: 1"))
                            .lines()
                            .filter(line -> !line.startsWith("SLF4J"))
                            .toList();
            assertEquals(
                    List.of(
                            REFUSED,
                            REFUSED,
                            REFUSED,
                            REFUSED,
                            REFUSED,
                            REFUSED,
                            "io.onehop.jedis.Unsupported: The transaction was discarded because one"
                                    + " of its calls was refused: "
                                    + REFUSAL,
                            "sent 0, [before]",
                            REFUSED,
                            "[before]",
                            "[before, before, before, before] [UP] errors 0"),
                    said);
        }
    }
}
