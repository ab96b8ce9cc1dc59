package io.onehop.test;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The parent of all servers of a test: a shell that reads its commands from a pipe. When the pipe
 * ends, the shell kills the servers and removes their files. So nothing is left running, even if
 * the process of the tests is killed.
 */
final class Supervisor implements AutoCloseable {
    /* Ctrl-C is sent to the shell, too, but must not end the shell before its servers. */
    private static final String BEGIN =
            """
            home=$1; cd "$home" || exit 1
            trap '' HUP INT TERM
            trap 'jobs -p >"$home/pids"; kill -KILL $(cat "$home/pids"); wait; rm -r "$home"' EXIT
            command -v redis-server || echo
            """;

    private final Process shell;
    private final BufferedWriter commands;
    private final BufferedReader answers;
    private final Path directory;

    Supervisor() {
        try {
            directory = Files.createTempDirectory("onehop-test");
            shell =
                    new ProcessBuilder("sh", "-s", directory.toString())
                            .directory(directory.toFile())
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        commands = shell.outputWriter(StandardCharsets.UTF_8);
        answers = shell.inputReader(StandardCharsets.UTF_8);
        if (ask(BEGIN).isEmpty()) {
            close();
            throw new IllegalStateException("no redis-server is on the PATH: install it");
        }
    }

    Path directory() {
        return directory;
    }

    /** Starts a program in a directory, with its output in `log`. Returns its process id. */
    long start(Path where, String words) {
        /* Only the program changes its directory; the shell stays where it is. */
        String there = "'" + where.toString().replace("'", "'\\''") + "'";
        String run = "{ cd " + there + " && exec " + words + " >log 2>&1 </dev/null; } &";
        return Long.parseLong(ask(run + " echo $!"));
    }

    void kill(long pid) {
        /* The shell forgets a process that has ended only after `jobs` has reported the end. */
        ask("kill -KILL " + pid + "; wait " + pid + "; jobs >ended; echo");
    }

    void signal(long pid, String name) {
        ask("kill -" + name + " " + pid + "; echo");
    }

    private synchronized String ask(String command) {
        try {
            commands.write(command + "\n");
            commands.flush();
            String answer = answers.readLine();
            if (answer == null) {
                throw new IllegalStateException("the servers of this test are stopped");
            }
            return answer;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public synchronized void close() {
        try {
            commands.close();
            shell.waitFor();
        } catch (IOException alreadyEnded) {
            // If the shell has ended, its servers have ended, too.
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
