package io.onehop.core.resp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Arrays;

/** What the guard passes on, and when it says that a connection may be used again. */
class ReplyGuardTest {

    @Test
    void wholeRepliesPassUnchanged() throws IOException {
        byte[] replies = "+OK\r\n$3\r\nfoo\r\n*2\r\n:1\r\n$-1\r\n".getBytes();
        ReplyGuard guard = guard(new ByteArrayInputStream(replies));
        guard.framing().owe(3);
        assertArrayEquals(replies, guard.readAllBytes());
        assertTrue(guard.framing().isClean());
        assertEquals(3, guard.framing().answered());
    }

    @Test
    void validBytesAreDeliveredBeforeTheFaultAndTheFaultStays() throws IOException {
        ReplyGuard guard = guard(new ByteArrayInputStream("+OK\r\n+SURPLUS\r\n".getBytes()));
        guard.framing().owe(1);
        byte[] into = new byte[100];
        assertEquals(5, guard.read(into, 0, 100));
        assertEquals("+OK\r\n", new String(into, 0, 5));
        WireException fault = assertThrows(WireException.class, () -> guard.read(into, 0, 100));
        assertEquals("a reply that was not asked for", fault.getMessage());
        assertThrows(WireException.class, guard::read);
        assertEquals(0, guard.framing().owed());
        assertFalse(guard.framing().isClean());
    }

    @Test
    void aLengthThatCannotBeTrueNeverReachesTheDecoder() throws IOException {
        ReplyGuard guard = guard(new ByteArrayInputStream("$2147483647\r\nx".getBytes()));
        guard.framing().owe(1);
        byte[] into = new byte[100];
        int count = guard.read(into, 0, 100);
        assertFalse(new String(into, 0, count).contains("\r"));
        assertThrows(WireException.class, () -> guard.read(into, 0, 100));
    }

    @Test
    void theEndOfTheStreamIsTheEnd() throws IOException {
        ReplyGuard guard = guard(new ByteArrayInputStream("+O".getBytes()));
        guard.framing().owe(1);
        assertEquals(2, guard.read(new byte[10], 0, 10));
        assertEquals(-1, guard.read(new byte[10], 0, 10));
        assertEquals(-1, guard.read());
        assertFalse(guard.framing().isClean());
    }

    @Test
    void bytesAreReadStraightIntoTheRangeThatWasAskedFor() throws IOException {
        ReplyGuard guard = guard(new ByteArrayInputStream("+OK\r\n".getBytes()));
        guard.framing().owe(1);
        byte[] into = new byte[9];
        Arrays.fill(into, (byte) '.');
        assertEquals(0, guard.read(into, 2, 0));
        assertEquals(5, guard.read(into, 2, 5));
        assertEquals("..+OK\r\n..", new String(into));
    }

    @Test
    void aConnectionThatTimedOutOwesAndItsLateAnswerIsSeen() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
                Socket node = server.accept()) {
            socket.setSoTimeout(20);
            ReplyGuard guard = guard(socket.getInputStream());
            guard.framing().owe(1);
            assertThrows(SocketTimeoutException.class, guard::read);
            assertEquals(1, guard.framing().owed());
            assertFalse(guard.framing().isClean());
            socket.setSoTimeout(30_000);
            OutputStream late = node.getOutputStream();
            late.write("+LATE\r\n".getBytes());
            late.flush();
            assertEquals(7, guard.readNBytes(7).length);
            assertTrue(guard.framing().isClean());
            late.write("+NOBODY ASKED\r\n".getBytes());
            late.flush();
            assertThrows(WireException.class, guard::read);
        }
    }

    private static ReplyGuard guard(InputStream source) {
        return new ReplyGuard(source);
    }
}
