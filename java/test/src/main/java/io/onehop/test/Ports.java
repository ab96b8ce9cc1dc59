package io.onehop.test;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free loopback ports, below the ports of outgoing connections. A UDP socket of the same number
 * reserves each port, even while its server is stopped. So no two processes of tests get the same
 * port.
 */
final class Ports {
    private static final int FIRST = 32_000;
    private static final int END = 32_768;

    private Ports() {}

    /** The socket that reserves a port, until it is closed. */
    static DatagramSocket reserve() {
        for (int tries = 0; tries < 100 * (END - FIRST); tries++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            try {
                InetSocketAddress address =
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
                DatagramSocket reserved = new DatagramSocket(address);
                if (isFree(address)) {
                    return reserved;
                }
                reserved.close();
            } catch (SocketException taken) {
                // Another process has reserved the port, or this one has.
            }
        }
        throw new IllegalStateException("no port from " + FIRST + " to " + END + " is free");
    }

    private static boolean isFree(InetSocketAddress address) {
        try (ServerSocket probe = new ServerSocket()) {
            probe.bind(address);
            return true;
        } catch (IOException taken) {
            return false;
        }
    }
}
