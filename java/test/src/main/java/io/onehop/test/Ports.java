package io.onehop.test;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free loopback ports below those of outgoing connections. A UDP socket at the same number reserves
 * each, also while its server is stopped: so no two processes of tests get the same.
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
                // By another process, or by this one.
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
