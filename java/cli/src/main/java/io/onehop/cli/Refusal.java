package io.onehop.cli;

/** Ends a command with one line for the person, and an exit status. */
final class Refusal extends Exception {
    private static final long serialVersionUID = 1;

    private final int status;

    Refusal(int status, String line) {
        super(line);
        this.status = status;
    }

    static Refusal ofUsage(String line) {
        return new Refusal(ExitStatus.WRONG_USAGE, line);
    }

    int status() {
        return status;
    }

    String line() {
        return String.valueOf(getMessage());
    }
}
