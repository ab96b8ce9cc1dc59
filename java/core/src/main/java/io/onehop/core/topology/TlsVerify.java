package io.onehop.core.topology;

/** What is checked of a node's certificate. Implements spec/config, section 11. */
public enum TlsVerify {
    /** Its chain, and the node's name. */
    FULL("full"),
    /** Its chain. */
    CA("ca"),
    NONE("none");

    private final String label;

    TlsVerify(String label) {
        this.label = label;
    }

    /** The name used in configuration files. */
    public String label() {
        return label;
    }
}
