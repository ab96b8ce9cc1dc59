package io.onehop.jedis.lab;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicLong;

import javax.net.ServerSocketFactory;
import javax.net.ssl.SSLContext;

/**
 * Passes bytes on between a client and a server: resets both after some bytes, or is a TLS
 * terminator for a server that speaks plain text.
 */
public final class Relay implements AutoCloseable {
    private final ServerSocket listener;
    private final int target;
    private final AtomicLong passed = new AtomicLong();
    private volatile long bytesMax;

    /** {@code bytesMax}: bytes of the server that are passed on for each connection. */
    public Relay(int target, long bytesMax) {
        this(target, bytesMax, ServerSocketFactory.getDefault());
    }

    private Relay(int target, long bytesMax, ServerSocketFactory factory) {
        this.target = target;
        this.bytesMax = bytesMax;
        try {
            listener = factory.createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
        run(this::accept);
    }

    /** A TLS terminator by this context. */
    public static Relay terminator(SSLContext context, int target) {
        return new Relay(target, Long.MAX_VALUE, context.getServerSocketFactory());
    }

    /** For connections from now on. */
    public void limit(long bytes) {
        bytesMax = bytes;
        passed.set(0);
    }

    /** Bytes of the server that were passed on. */
    public long passed() {
        return passed.get();
    }

    public String server() {
        return "127.0.0.1:" + listener.getLocalPort() + ":1";
    }

    private static void run(Runnable job) {
        Thread thread = new Thread(job, "relay");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                long most = bytesMax;
                run(() -> pass(client, server, Long.MAX_VALUE, new AtomicLong()));
                run(() -> pass(server, client, most, passed));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private static void pass(Socket from, Socket to, long most, AtomicLong passed) {
        byte[] bytes = new byte[1 << 14];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            long left = most;
            while (left > 0) {
                int count = in.read(bytes, 0, (int) Math.min(bytes.length, left));
                if (count < 0) {
                    return;
                }
                out.write(bytes, 0, count);
                passed.addAndGet(count);
                left -= count;
            }
            to.setSoLinger(true, 0); // So that closing resets.
            from.setSoLinger(true, 0);
        } catch (IOException over) {
            // Either side has closed.
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException gone) {
            // It is closed either way.
        }
    }
}
