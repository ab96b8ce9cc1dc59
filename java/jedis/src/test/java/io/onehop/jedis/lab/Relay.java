package io.onehop.jedis.lab;

import java.util.HexFormat;

/**
 * A relay of the lab in front of a server ({@code conformance/lab/relay.py}). It resets connections
 * after some bytes, holds bytes back, adds bytes of its own, or is a TLS terminator for a server
 * that speaks plain text.
 */
public record Relay(int port) implements AutoCloseable {

    public static Relay to(int target) {
        return new Relay(Lab.ask("relay", "to", target).getAsInt());
    }

    /** A TLS terminator with this certificate. */
    public static Relay terminator(Certificates certificates, String name, int target) {
        return new Relay(
                Lab.ask(
                                "relay",
                                "to",
                                target,
                                "certificate",
                                certificates.certificate(name),
                                "key",
                                certificates.key(name))
                        .getAsInt());
    }

    public String server() {
        return "127.0.0.1:" + port + ":1";
    }

    /** From now on, each connection is reset after it has passed on so many bytes of the server. */
    public void limit(long bytes) {
        Lab.ask("limit_relay", "relay", port, "count", bytes, "of_node", true);
    }

    /** From now on no connection is reset. */
    public void limitNothing() {
        Lab.ask("limit_relay", "relay", port);
    }

    /** How many bytes of the server were passed on to clients. */
    public long given() {
        return Lab.ask("relay_counts", "relay", port).getAsJsonObject().get("given").getAsLong();
    }

    /**
     * Passes on so many more bytes of the server, and holds back the rest until {@link #release}.
     */
    public void hold(long bytes) {
        Lab.ask("hold_relay", "relay", port, "count", bytes);
    }

    public void release() {
        Lab.ask("hold_relay", "relay", port);
    }

    /** Sends bytes that are not the server's to the client that has connected last. */
    public void inject(byte[] bytes) {
        Lab.ask("inject", "relay", port, "data", HexFormat.of().formatHex(bytes));
    }

    @Override
    public void close() {
        Lab.ask("stop_relay", "relay", port);
    }
}
