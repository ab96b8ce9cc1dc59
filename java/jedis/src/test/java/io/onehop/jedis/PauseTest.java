package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.Jvm;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.stream.Stream;

/**
 * A program that was stopped for a while misses its deadline, and does not blame the node for it.
 */
class PauseTest {
    static final String STOP = "stop:";
    private static final int STOPPED_MS = 5000;

    /**
     * Answers every command except one that names a process. That process is stopped, continues
     * later, and gets no answer.
     */
    private static final ScriptedNode.Script STOPPING =
            talk -> {
                talk.handshake();
                for (List<String> command = talk.command();
                        command != null;
                        command = talk.command()) {
                    if (command.get(1).startsWith(STOP)) {
                        long pid = Long.parseLong(command.get(1).substring(STOP.length()));
                        Processes.signal(pid, "STOP");
                        Processes.pause(STOPPED_MS);
                        Processes.signal(pid, "CONT");
                    } else {
                        talk.bulk("well");
                    }
                }
            };

    @ParameterizedTest
    @ValueSource(strings = {"auto_eject_hosts: false", "auto_eject_hosts: true"})
    void aProgramThatWasStoppedForFiveSecondsNeitherRestsNorEjectsTheNode(String rule) {
        try (ScriptedNode node = ScriptedNode.start(STOPPING)) {
            String config =
                    Nodes.configOf(
                                    Stream.of(node.server()),
                                    rule,
                                    "timeout: 1000",
                                    "server_failure_limit: 1")
                            .replace("LISTEN", "127.0.0.1:1");
            String output =
                    Jvm.output("-cp", Jvm.classPath(), PausedProgram.class.getName(), config);
            assertTrue(
                    output.endsWith(
                            "well; DeadlineExceeded; UP, 0 failures counted; well"
                                    + System.lineSeparator()),
                    output);
        }
    }
}
