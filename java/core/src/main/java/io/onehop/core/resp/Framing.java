package io.onehop.core.resp;

import io.onehop.core.base.Limits;
import io.onehop.core.base.Message;

import org.jspecify.annotations.Nullable;

/**
 * The RESP framing of one connection, without I/O. In: bytes. Out: counted replies, or one
 * permanent fault.
 *
 * <p>Every command is announced with {@link #owe} before it is written. Everything that is read is
 * passed to {@link #read}, in pieces of any size. So it is always known how many replies the node
 * owes, and every byte is checked for form and limits before it is used. The framing keeps no
 * bytes, allocates nothing and does not recurse. It knows RESP2 and RESP3. A push frame is not a
 * reply, and is skipped. An attribute belongs to the reply that follows it. Streamed types are
 * refused. On a subscribed connection a value that is not owed is a message. For one thread at a
 * time.
 *
 * <p>Twin of {@code core/resp/wire} in C. Implements spec/wire.
 */
public final class Framing {
    /** What can be wrong with a stream. The connection must then be closed. */
    public enum Fault {
        SURPLUS(Message.WIRE_SURPLUS),
        TYPE(Message.WIRE_TYPE),
        LENGTH(Message.WIRE_LENGTH),
        LINE(Message.WIRE_LINE),
        CRLF(Message.WIRE_CRLF),
        DEPTH(Message.WIRE_DEPTH);

        private final Message message;

        Fault(Message message) {
            this.message = message;
        }

        public Message message() {
            return message;
        }
    }

    /* Where the reader is inside a reply. */
    private static final int AT_TYPE = 0;
    private static final int IN_LENGTH = 1;
    private static final int IN_LINE = 2;
    private static final int IN_BULK = 3;
    private static final int AT_LF_OF_LENGTH = 4;
    private static final int AT_LF_OF_LINE = 5;
    private static final int AT_CR_OF_BULK = 6;
    private static final int AT_LF_OF_BULK = 7;

    /* A length with at most so many digits is far below the limit. */
    private static final int FEW_DIGITS = 6;

    private int state = AT_TYPE;
    private byte type;
    private boolean isNegative;
    private int lineBytes;

    /** The length that is being read, then the missing bytes of the bulk. */
    private long number;

    private int depth;

    /** Missing elements of each open aggregate, outermost first. */
    private final long[] missing = new long[Limits.WIRE_DEPTH_MAX];

    /** The type of each open aggregate. */
    private final byte[] open = new byte[Limits.WIRE_DEPTH_MAX];

    private long taken; // Valid bytes in all.
    private long begun; // Valid bytes before the reply that is being read.
    private long base; // Valid bytes before the array that is being read.
    private long announced;
    private long answered;
    private long pushed;
    private boolean isSubscribed;
    private @Nullable Fault fault;

    /**
     * Announces commands. Call it before their first byte is written, so their replies are owed
     * even if the write is interrupted.
     */
    public void owe(int commands) {
        announced += commands;
    }

    /**
     * Announces a subscription. From now on a whole value that is not owed is a message, not a
     * fault, and the connection is never clean again. Call it before the first byte of the answer
     * is passed to {@link #read}.
     */
    public void subscribe() {
        isSubscribed = true;
    }

    /** Replies that the node still owes. */
    public long owed() {
        return announced - answered;
    }

    /**
     * True if the current reply announces more than {@code few} elements, and also more elements
     * than bytes of it have come. Then a reader that allocates announced elements should wait.
     */
    public boolean isAhead(int few) {
        long elements = -Math.max(few, taken - begun);
        for (int i = 0; i < depth; i++) {
            elements += missing[i];
        }
        return elements > 0;
    }

    /** Whole replies read. */
    public long answered() {
        return answered;
    }

    /** Whole push frames read, and messages of a subscribed connection. */
    public long pushed() {
        return pushed;
    }

    /** What is wrong with the stream, or {@code null}. It never changes back. */
    public @Nullable Fault fault() {
        return fault;
    }

    /**
     * True if another caller may use the connection: no reply is owed or half read, there is no
     * fault, and it was never subscribed.
     */
    public boolean isClean() {
        return fault == null
                && announced == answered
                && state == AT_TYPE
                && depth == 0
                && !isSubscribed;
    }

    /**
     * Checks bytes that were read. Returns how many of them are valid: all, or after a fault the
     * bytes before the first wrong byte. If a reply belongs to no command, its first byte is wrong.
     */
    public int read(byte[] bytes, int offset, int length) {
        int end = offset + length;
        int at = offset;
        base = taken - offset;
        while (at < end && fault == null) {
            at =
                    switch (state) {
                        case AT_TYPE ->
                                bytes[at] == '$' ? atBulk(bytes, at, end) : atType(bytes, at);
                        case IN_LENGTH -> inLength(bytes, at, end);
                        case IN_LINE -> inLine(bytes, at, end);
                        case IN_BULK -> inBulk(bytes, at, end);
                        case AT_LF_OF_LENGTH -> expect(bytes, at, '\n') ? lengthEnds(at + 1) : at;
                        case AT_LF_OF_LINE -> expect(bytes, at, '\n') ? valueEnds(at + 1) : at;
                        case AT_CR_OF_BULK ->
                                expect(bytes, at, '\r') ? go(AT_LF_OF_BULK, at + 1) : at;
                        default -> expect(bytes, at, '\n') ? valueEnds(at + 1) : at;
                    };
        }
        taken = base + at;
        return at - offset;
    }

    /**
     * Nearly all values are bulk strings that have arrived whole. This method takes such a value in
     * one step. The steps below handle everything else.
     */
    private int atBulk(byte[] bytes, int from, int end) {
        int at = from + 1;
        int length = 0;
        while (at < end && at - from <= FEW_DIGITS && bytes[at] >= '0' && bytes[at] <= '9') {
            length = length * 10 + bytes[at] - '0';
            at++;
        }
        boolean isPlain = at > from + 1 && (bytes[from + 1] != '0' || at == from + 2);
        int after = at + 2 + length + 2;
        if (!isPlain
                || after > end
                || bytes[at] != '\r'
                || bytes[at + 1] != '\n'
                || bytes[after - 2] != '\r'
                || bytes[after - 1] != '\n'
                || depth == 0 && announced == answered && !isSubscribed) {
            return atType(bytes, from);
        }
        type = '$';
        return valueEnds(after);
    }

    private int atType(byte[] bytes, int at) {
        type = bytes[at];
        if (depth == 0 && announced == answered && type != '>' && !isSubscribed) {
            return fail(Fault.SURPLUS, at);
        }
        switch (type) {
            case '$', '*', '=', '!', '%', '~', '|', '>':
                number = -1;
                isNegative = false;
                lineBytes = 0;
                return go(IN_LENGTH, at + 1);
            case '+', '-', ':', '_', '#', ',', '(':
                lineBytes = 0;
                return go(IN_LINE, at + 1);
            default:
                return fail(Fault.TYPE, at);
        }
    }

    private int inLength(byte[] bytes, int from, int end) {
        for (int at = from; at < end; at++) {
            int digit = bytes[at] - '0';
            if (digit < 0 || digit > 9) {
                return lengthStops(bytes, at, end);
            }
            if (number == 0 || isNegative && (number >= 0 || digit != 1)) {
                return fail(Fault.LENGTH, at);
            }
            number = Math.max(number, 0) * 10 + digit;
            if (number > lengthMax()) {
                return fail(Fault.LENGTH, at);
            }
        }
        return end;
    }

    private int lengthStops(byte[] bytes, int at, int end) {
        byte stop = bytes[at];
        if (stop == '\r' && number >= 0) {
            return at + 1 < end && bytes[at + 1] == '\n'
                    ? lengthEnds(at + 2) // The usual case: all of the line is here.
                    : go(AT_LF_OF_LENGTH, at + 1);
        }
        if (stop == '-' && number < 0 && !isNegative && (type == '$' || type == '*')) {
            isNegative = true;
            return at + 1;
        }
        return fail(Fault.LENGTH, at);
    }

    private long lengthMax() {
        return type == '$' || type == '=' || type == '!'
                ? Limits.WIRE_BULK_BYTES_MAX
                : Limits.WIRE_ELEMENTS_MAX;
    }

    private int lengthEnds(int at) {
        if (isNegative) {
            return valueEnds(at);
        }
        if (type == '$' || type == '=' || type == '!') {
            return go(number == 0 ? AT_CR_OF_BULK : IN_BULK, at);
        }
        long elements = type == '%' || type == '|' ? number * 2 : number;
        if (elements == 0) {
            return type == '|' ? go(AT_TYPE, at) : valueEnds(at);
        }
        if (depth == missing.length) {
            return fail(Fault.DEPTH, at - 1);
        }
        missing[depth] = elements;
        open[depth] = type;
        depth++;
        return go(AT_TYPE, at);
    }

    private int inLine(byte[] bytes, int from, int end) {
        int stop = (int) Math.min(end, from + (long) Limits.WIRE_LINE_BYTES_MAX - lineBytes);
        int at = from;
        while (at < stop && bytes[at] != '\r' && bytes[at] != '\n') {
            at++;
        }
        lineBytes += at - from;
        if (at == end) {
            return end;
        }
        if (bytes[at] == '\r') {
            return go(AT_LF_OF_LINE, at + 1);
        }
        return fail(Fault.LINE, at);
    }

    private int inBulk(byte[] bytes, int at, int end) {
        if (number + 2 <= end - at
                && bytes[at + (int) number] == '\r'
                && bytes[at + (int) number + 1] == '\n') {
            return valueEnds(at + (int) number + 2); // The usual case: all of it is here.
        }
        int taken = (int) Math.min(number, end - at);
        number -= taken;
        return number == 0 ? go(AT_CR_OF_BULK, at + taken) : end;
    }

    /**
     * Notes that a value is complete. If it was the last element of an aggregate, that is complete,
     * too.
     */
    private int valueEnds(int at) {
        state = AT_TYPE;
        byte ended = type;
        while (depth > 0 && --missing[depth - 1] == 0) {
            depth--;
            ended = open[depth];
            if (ended == '|') {
                return at;
            }
        }
        if (depth == 0) {
            begun = base + at;
            if (ended == '>' || announced == answered) {
                pushed++;
            } else {
                answered++;
            }
        }
        return at;
    }

    private boolean expect(byte[] bytes, int at, char wanted) {
        if (bytes[at] != wanted) {
            fault = Fault.CRLF;
        }
        return fault == null;
    }

    private int go(int next, int at) {
        state = next;
        return at;
    }

    private int fail(Fault what, int at) {
        fault = what;
        return at;
    }
}
