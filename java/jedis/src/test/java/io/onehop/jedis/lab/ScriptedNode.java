package io.onehop.jedis.lab;

import io.onehop.jedis.OneHopClient;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import javax.net.ServerSocketFactory;
import javax.net.ssl.SSLContext;

/**
 * A node that misbehaves by a script. It reads real commands. The script says what it answers, and
 * when.
 */
public final class ScriptedNode implements AutoCloseable {

    /**
     * Runs for one connection, from the handshake on. When it returns, the connection is closed.
     */
    @FunctionalInterface
    public interface Script {
        void talk(Talk talk) throws IOException;
    }

    /** One connection, as the script sees it. */
    public static final class Talk {
        private final Socket socket;
        private final DataInputStream in;
        private final OutputStream out;
        private final int number;

        Talk(Socket socket, int number) throws IOException {
            this.socket = socket;
            this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            this.out = socket.getOutputStream();
            this.number = number;
        }

        /** The number of this connection, from 1. */
        public int number() {
            return number;
        }

        /**
         * The next command, its name first, or {@code null} if the client has closed. Commands that
         * introduce the connection are answered here, and not returned.
         */
        public List<String> command() throws IOException {
            List<String> next = read();
            while (next != null && next.get(0).equals("CLIENT") && next.get(1).startsWith("SET")) {
                send("+OK\r\n");
                next = read();
            }
            return next;
        }

        /** All further commands, until the client closes. */
        public Iterable<List<String>> commands() {
            return () -> Stream.generate(this::next).takeWhile(Objects::nonNull).iterator();
        }

        private List<String> next() {
            try {
                return command();
            } catch (IOException over) {
                throw new UncheckedIOException(over);
            }
        }

        /** The next command, also one that introduces the connection. */
        public List<String> read() throws IOException {
            String head = line();
            if (head == null) {
                return null;
            }
            int count = Integer.parseInt(head.substring(1));
            List<String> command = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                byte[] argument = new byte[Integer.parseInt(line().substring(1))];
                in.readFully(argument);
                in.readFully(new byte[2]);
                command.add(new String(argument, StandardCharsets.UTF_8));
            }
            return command;
        }

        private String line() throws IOException {
            StringBuilder line = new StringBuilder();
            for (int c = in.read(); c != '\r'; c = in.read()) {
                if (c < 0) {
                    return null;
                }
                line.append((char) c);
            }
            in.read();
            return line.toString();
        }

        /** Sends raw bytes. */
        public Talk send(String raw) throws IOException {
            return send(raw.getBytes(StandardCharsets.UTF_8));
        }

        public Talk send(byte[] raw) throws IOException {
            out.write(raw);
            out.flush();
            return this;
        }

        /** Sends a bulk string. */
        public Talk bulk(String value) throws IOException {
            return send(
                    "$" + value.getBytes(StandardCharsets.UTF_8).length + "\r\n" + value + "\r\n");
        }

        /**
         * Sends a bulk string of 200 MB until the client closes. Returns the bytes that were sent.
         */
        public long endlessBulk() throws IOException {
            send("$200000000\r\n");
            byte[] part = new byte[1 << 16];
            long sent = 0;
            try {
                while (sent < 200_000_000) {
                    send(part);
                    sent += part.length;
                }
            } catch (SocketException closed) {
                return sent;
            }
            return sent;
        }

        /** Answers the PING with which every connection begins. */
        public Talk handshake() throws IOException {
            command();
            return send("+PONG\r\n");
        }

        /** The number of bytes that have arrived, but were not read yet. */
        public int arrived() throws IOException {
            return in.available();
        }

        /** Waits until the client closes. */
        public void awaitClose() throws IOException {
            awaitClose(new AtomicLong());
        }

        /**
         * Waits until the client closes, and adds the number of bytes that arrive to {@code
         * received}.
         */
        public void awaitClose(AtomicLong received) throws IOException {
            InputStream rest = socket.getInputStream();
            byte[] sink = new byte[1 << 16];
            for (int count = 0; count >= 0; count = rest.read(sink)) {
                received.addAndGet(count);
            }
        }

        /**
         * Sends the end of the connection. When this returns, the end has arrived at the client:
         * both are on one host.
         */
        public void end() throws IOException {
            socket.shutdownOutput();
        }

        /** Closes so that the client sees a reset. */
        public void reset() throws IOException {
            socket.setSoLinger(true, 0);
            socket.close();
        }
    }

    private final ServerSocket server;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();

    private ScriptedNode(ServerSocket server) {
        this.server = server;
    }

    public static ScriptedNode start(Script script) {
        return start(ServerSocketFactory.getDefault(), script);
    }

    /** A node that speaks TLS by this context. */
    public static ScriptedNode start(SSLContext context, Script script) {
        return start(context.getServerSocketFactory(), script);
    }

    private static ScriptedNode start(ServerSocketFactory factory, Script script) {
        try {
            ScriptedNode node =
                    new ScriptedNode(
                            factory.createServerSocket(0, 50, InetAddress.getLoopbackAddress()));
            node.run(() -> node.accept(script));
            return node;
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private void run(Runnable job) {
        Thread thread = new Thread(job, "scripted-node");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept(Script script) {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                socket.setTcpNoDelay(true);
                sockets.add(socket);
                Talk talk = new Talk(socket, connections.incrementAndGet());
                run(() -> talk(script, talk));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private static void talk(Script script, Talk talk) {
        try (talk.socket) {
            script.talk(talk);
        } catch (IOException | RuntimeException over) {
            // The client or the node was closed.
        }
    }

    public int connections() {
        return connections.get();
    }

    public int port() {
        return server.getLocalPort();
    }

    /** A client of a pool of this node alone. */
    public OneHopClient client(String... directives) {
        return Nodes.clientOf(Stream.of(server()), directives);
    }

    public String server() {
        return "127.0.0.1:" + port() + ":1";
    }

    public String node() {
        return "127.0.0.1:" + port();
    }

    @Override
    public void close() {
        try {
            server.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException gone) {
            // The connection is closed all the same.
        }
    }
}
