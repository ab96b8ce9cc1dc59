package io.onehop.jedis.lab;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicLong;

import javax.net.ServerSocketFactory;
import javax.net.ssl.SSLContext;

/**
 * Passes bytes on between a client and a server: resets both after some bytes, keeps bytes back,
 * adds some of its own, or is a TLS terminator for a server that speaks plain text.
 */
public final class Relay implements AutoCloseable {
    private final ServerSocket listener;
    private final int target;
    private final AtomicLong passed = new AtomicLong();
    private volatile long bytesMax;
    private volatile Socket latest;
    private long held = Long.MAX_VALUE; // Bytes of the server until the relay waits.

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

    /** Passes on that many more bytes of the server, and keeps the rest until {@link #release}. */
    public synchronized void hold(long bytes) {
        held = bytes;
    }

    public synchronized void release() {
        held = Long.MAX_VALUE;
        notifyAll();
    }

    /** How many of these bytes may be passed on now. Waits until it is one. */
    private synchronized int permit(int count) throws InterruptedIOException {
        try {
            while (held == 0) {
                wait();
            }
        } catch (InterruptedException stopped) {
            throw new InterruptedIOException();
        }
        int permitted = (int) Math.min(count, held);
        held -= held == Long.MAX_VALUE ? 0 : permitted;
        return permitted;
    }

    /** Sends the client of the latest connection bytes that are not the server's. */
    public void inject(byte[] bytes) {
        try {
            latest.getOutputStream().write(bytes);
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
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
                client.setTcpNoDelay(true); // A part of a record does not wait for the rest.
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                long most = bytesMax;
                latest = client;
                run(() -> pass(client, server, Long.MAX_VALUE, OutputStream::write));
                run(() -> pass(server, client, most, this::giveToClient));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private interface Writer {
        void write(OutputStream to, byte[] bytes, int offset, int length) throws IOException;
    }

    private void giveToClient(OutputStream to, byte[] bytes, int offset, int length)
            throws IOException {
        for (int at = 0; at < length; ) {
            int count = permit(length - at);
            synchronized (this) { // A client that has them, and calls hold(), finds them counted.
                to.write(bytes, offset + at, count);
                passed.addAndGet(count);
            }
            at += count;
        }
    }

    private static void pass(Socket from, Socket to, long most, Writer writer) {
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
                writer.write(out, bytes, 0, count);
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
