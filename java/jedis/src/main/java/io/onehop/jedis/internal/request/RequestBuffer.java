package io.onehop.jedis.internal.request;

import io.onehop.core.command.Split;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The encoded commands of one node in one batch, ready to be written. Each argument is copied once,
 * from where Jedis encoded it.
 *
 * <p>First all commands are appended, then they are written from front to back. A command that
 * cannot be encoded leaves no bytes behind. For one thread.
 */
public final class RequestBuffer {
    /*
     * The buffer has blocks, not one growing array. So a batch of a gigabyte needs no contiguous
     * gigabyte, and growing copies nothing but the first block. The first block starts small,
     * because most batches are small. A command never spans two blocks: a command that is larger
     * than a block has a block of its own.
     */

    /* A type byte, up to ten digits, CR LF. */
    private static final int HEADER_BYTES_MAX = 13;

    private static final byte[] NO_BYTES = {};

    private static final class Block {
        private byte[] bytes;
        private int used;

        Block(byte[] bytes) {
            this.bytes = bytes;
        }
    }

    private final BufferPool memory;
    private final List<Block> blocks = new ArrayList<>(2);
    private Block last;
    private long length;
    private int count;
    private int readingBlock;
    private int readingAt;

    public RequestBuffer(BufferPool memory) {
        this.memory = memory;
        this.last = new Block(memory.first());
        blocks.add(last);
    }

    /** Gives the memory back. After this call no other method may be called. */
    public void release() {
        for (Block block : blocks) {
            byte[] bytes = block.bytes;
            block.bytes = NO_BYTES;
            memory.give(bytes);
        }
        blocks.clear();
    }

    /** Bytes appended. */
    public long length() {
        return length;
    }

    /** Commands appended. */
    public int count() {
        return count;
    }

    /** Appends a command. Returns its size in bytes. */
    public int append(CommandArguments arguments) {
        int count = arguments.size();
        long most = HEADER_BYTES_MAX;
        for (int i = 0; i < count; i++) {
            most += HEADER_BYTES_MAX + arguments.get(i).getRaw().length + 2L;
        }
        Block block = reserve(most);
        int at = header(block.bytes, block.used, '*', count);
        for (int i = 0; i < count; i++) {
            at = argument(block.bytes, at, arguments.get(i).getRaw());
        }
        return commit(block, at);
    }

    /** Appends a part of a command. Returns its size in bytes. */
    public int append(CommandArguments arguments, Split.Part part) {
        int count = part.words();
        long most = HEADER_BYTES_MAX;
        for (int i = 0; i < count; i++) {
            most += HEADER_BYTES_MAX + word(arguments, part, i).length + 2L;
        }
        Block block = reserve(most);
        int at = header(block.bytes, block.used, '*', count);
        for (int i = 0; i < count; i++) {
            at = argument(block.bytes, at, word(arguments, part, i));
        }
        return commit(block, at);
    }

    private static byte[] word(CommandArguments arguments, Split.Part part, int number) {
        return part.isKeynum(number)
                ? Protocol.toByteArray(part.count())
                : arguments.get(part.word(number)).getRaw();
    }

    private int commit(Block block, int at) {
        int size = at - block.used;
        block.used = at;
        length += size;
        count++;
        return size;
    }

    /** A block with room for that many bytes. */
    private Block reserve(long most) {
        if (most > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException("A command of more than 2 GB cannot be encoded.");
        }
        long needed = last.used + most;
        if (needed <= last.bytes.length) {
            return last;
        }
        if (needed <= BufferPool.BYTES) {
            byte[] grown = memory.next();
            byte[] small = last.bytes;
            System.arraycopy(small, 0, grown, 0, last.used);
            last.bytes = grown;
            memory.give(small);
            return last;
        }
        Block next = new Block(most <= BufferPool.BYTES ? memory.next() : new byte[(int) most]);
        // The block is added before it is used: after an Error nothing may be written to a block
        // that is not read.
        blocks.add(next);
        last = next;
        return next;
    }

    private static int argument(byte[] into, int from, byte[] argument) {
        int at = header(into, from, '$', argument.length);
        System.arraycopy(argument, 0, into, at, argument.length);
        at += argument.length;
        into[at++] = '\r';
        into[at++] = '\n';
        return at;
    }

    private static int header(byte[] into, int from, char type, int number) {
        int at = from;
        into[at++] = (byte) type;
        if (number >= 10) {
            int digits = number < 100 ? 2 : String.valueOf(number).length();
            int rest = number;
            for (int i = at + digits - 1; i >= at; i--) {
                into[i] = (byte) ('0' + rest % 10);
                rest /= 10;
            }
            at += digits;
        } else {
            into[at++] = (byte) ('0' + number);
        }
        into[at++] = '\r';
        into[at++] = '\n';
        return at;
    }

    /** The command that begins at this byte, decoded. */
    public CommandArguments command(long position) {
        int number = 0;
        long rest = position;
        while (rest >= blocks.get(number).used) {
            rest -= blocks.get(number).used;
            number++;
        }
        byte[] bytes = blocks.get(number).bytes;
        int count = number(bytes, (int) rest);
        int at = afterLine(bytes, (int) rest);
        byte[] name = word(bytes, at);
        CommandArguments command = new RoutedArguments(() -> name);
        for (int i = 1; i < count; i++) {
            at = afterLine(bytes, at) + number(bytes, at) + 2;
            command.add(word(bytes, at));
        }
        return command;
    }

    /** The word whose header begins at this byte. */
    private static byte[] word(byte[] bytes, int header) {
        int from = afterLine(bytes, header);
        return Arrays.copyOfRange(bytes, from, from + number(bytes, header));
    }

    /** The number in the header that begins at this byte. */
    private static int number(byte[] bytes, int from) {
        int number = 0;
        for (int at = from + 1; bytes[at] != '\r'; at++) {
            number = number * 10 + bytes[at] - '0';
        }
        return number;
    }

    /** The position after the line that begins at this byte. */
    private static int afterLine(byte[] bytes, int from) {
        int at = from;
        while (bytes[at] != '\r') {
            at++;
        }
        return at + 2;
    }

    /** The next bytes to write, at most that many, all from one block. */
    public ByteBuffer next(long most) {
        Block block = blocks.get(readingBlock);
        if (readingAt == block.used && readingBlock + 1 < blocks.size()) {
            block = blocks.get(++readingBlock);
            readingAt = 0;
        }
        return ByteBuffer.wrap(
                block.bytes, readingAt, (int) Math.min(most, block.used - readingAt));
    }

    /** Notes that this many of these bytes were written. */
    public void advance(int written) {
        readingAt += written;
    }

    /** Goes back to a byte that was written before, to write it again. */
    public void rewind(long position) {
        readingBlock = 0;
        long rest = position;
        while (rest > blocks.get(readingBlock).used) {
            rest -= blocks.get(readingBlock).used;
            readingBlock++;
        }
        readingAt = (int) rest;
    }
}
