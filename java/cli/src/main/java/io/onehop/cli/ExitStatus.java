package io.onehop.cli;

/** The exit statuses of all commands. docs/cli.md lists them. */
final class ExitStatus {
    static final int FINE = 0;

    /** The answer has something that a person should see. */
    static final int FINDINGS = 1;

    /** The command line, or a file that it names, is wrong. */
    static final int WRONG_USAGE = 2;

    /** A node that had to be asked did not answer. */
    static final int NO_ANSWER = 3;

    /** The output could not be written, or {@code onehop} has a fault. */
    static final int BROKEN = 4;

    private ExitStatus() {}
}
