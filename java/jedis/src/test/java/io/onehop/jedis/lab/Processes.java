package io.onehop.jedis.lab;

import java.io.File;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Real servers for tests: on free loopback ports, in a folder of their own, killed with the test's process whatever
 * happens.
 */
public final class Processes {
    private static final Deque<Integer> PORTS = new ArrayDeque<>(); // Still to be given.
    private static final List<DatagramSocket> BLOCKS = new ArrayList<>(); // What keeps them this process's.

    private Processes() {
    }

    static Process start(Path folder, List<String> command) throws IOException {
        List<String> guarded = new ArrayList<>(List.of("setpriv", "--pdeathsig", "KILL"));
        guarded.addAll(command);
        File log = folder.resolve("log").toFile();
        return new ProcessBuilder(guarded).directory(folder.toFile()).redirectErrorStream(true).redirectOutput(log)
                .start();
    }

    static void kill(Process process) {
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Sends a signal to one process. */
    static void signal(Process process, String name) {
        signal(process.pid(), name);
    }

    /** The same, of one that somebody else has started. */
    public static void signal(long pid, String name) {
        try {
            new ProcessBuilder("kill", "-" + name, String.valueOf(pid)).start().waitFor();
        } catch (IOException | InterruptedException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /**
     * A port that nobody listens on, and that no other test of this machine is given while this process is there. Ports
     * are taken in blocks below those of outgoing connections; who has a block holds its first number in UDP.
     */
    public static synchronized int freePort() {
        while (true) {
            if (PORTS.isEmpty()) {
                takePorts();
            }
            int port = PORTS.pop();
            try (ServerSocket free = new ServerSocket(port)) {
                return free.getLocalPort();
            } catch (IOException inUse) {
                continue;
            }
        }
    }

    private static void takePorts() {
        for (int i = 0; i < 10_000; i++) {
            int first = 10_000 + 50 * ThreadLocalRandom.current().nextInt(200);
            try {
                BLOCKS.add(new DatagramSocket(new InetSocketAddress("127.0.0.77", first)));
            } catch (SocketException others) {
                continue;
            }
            IntStream.range(first, first + 50).forEach(PORTS::push);
            return;
        }
        throw new IllegalStateException("no ports are left");
    }

    static void awaitPort(Process process, int port, Path folder) throws IOException {
        for (int i = 0; i < 1000; i++) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress("127.0.0.1", port), 1000);
                return;
            } catch (IOException notYet) {
                if (!process.isAlive()) {
                    throw new IOException("The server did not start: " + Files.readString(folder.resolve("log")));
                }
                pause(10);
            }
        }
        throw new IOException("The server does not listen: " + Files.readString(folder.resolve("log")));
    }

    public static void pause(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    static void delete(Path folder) {
        try (var files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        } catch (IOException gone) {
            // Nothing is left to delete.
        }
    }
}
