package io.onehop.jedis.internal.request;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.command.Split;

import org.junit.jupiter.api.Test;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.args.Rawable;
import redis.clients.jedis.util.RedisOutputStream;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Random;
import java.util.Set;

/**
 * The bytes of a batch are the bytes that Jedis would write, for arguments of all sizes. They can
 * be written in pieces, and written again.
 */
class RequestBufferTest {

    private static byte[] read(RequestBuffer requests, Random random) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        while (all.size() < requests.length()) {
            ByteBuffer next = requests.next(1 + random.nextInt(100_000));
            // Takes some of the bytes or none, as the kernel may do.
            int taken = random.nextInt(next.remaining() + 1);
            all.write(next.array(), next.position(), taken);
            requests.advance(taken);
        }
        return all.toByteArray();
    }

    @Test
    void theBytesAreThoseOfJedisAlsoInReusedMemory() throws IOException {
        BufferPool memory = new BufferPool();
        for (int seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            RequestBuffer requests = new RequestBuffer(memory);
            ByteArrayOutputStream expected = new ByteArrayOutputStream();
            RedisOutputStream jedis = new RedisOutputStream(expected);
            for (int i = 0; i < 200; i++) {
                CommandArguments command = random(random);
                long before = requests.length();
                int size = requests.append(command);
                assertEquals(before + size, requests.length());
                Protocol.sendCommand(jedis, command);
            }
            jedis.flush();
            assertArrayEquals(expected.toByteArray(), read(requests, random), "seed " + seed);
            requests.release();
        }
        byte[] kept = memory.first();
        assertEquals(
                BufferPool.BYTES,
                kept.length,
                "a block that was kept is used before a new one is made");
        memory.give(kept);
        assertSame(kept, memory.next());
    }

    @Test
    void blocksOfBothSizesAreKeptUpToABound() {
        BufferPool memory = new BufferPool();
        Set<byte[]> given = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int i = 0; i < 20; i++) {
            given.add(new byte[BufferPool.BYTES]);
            given.add(new byte[BufferPool.FEW_BYTES]);
            given.add(new byte[1]);
        }
        given.forEach(memory::give);
        for (int i = 0; i < 16; i++) {
            byte[] block = memory.next();
            assertEquals(BufferPool.BYTES, block.length);
            assertTrue(given.remove(block), "kept, and given out once");
        }
        for (int i = 0; i < 16; i++) {
            byte[] block = memory.first();
            assertEquals(BufferPool.FEW_BYTES, block.length);
            assertTrue(given.remove(block), "kept, and given out once");
        }
        assertFalse(given.contains(memory.next()));
        assertFalse(given.contains(memory.first()));
    }

    private static CommandArguments random(Random random) {
        int[] sizes = {0, 1, 9, 10, 11, 99, 100, 1000, 4090, 16_380, 65_530, 70_000, 200_000};
        CommandArguments command = new CommandArguments(Command.SET);
        for (int i = random.nextInt(12); i >= 0; i--) {
            byte[] argument = new byte[sizes[random.nextInt(random.nextInt(sizes.length) + 1)]];
            random.nextBytes(argument);
            command.add(argument);
        }
        return command;
    }

    @Test
    void aPartOfACommandHasTheChosenWordsInOrder() {
        CommandArguments command = new CommandArguments(Command.MSET);
        for (int i = 0; i < 12; i++) {
            command.key("k" + i).add("v" + i);
        }
        RequestBuffer requests = new RequestBuffer(new BufferPool());
        int[] rest = {23, 24, 1, 2, 23, 24};
        requests.append(command, new Split.Part(0, 1, new int[] {11, 0, 11}, 0, 3, rest, 0));
        assertEquals(
                "*7 $4 MSET $3 k11 $3 v11 $2 k0 $2 v0 $3 k11 $3 v11 ".replace(" ", "\r\n"),
                new String(read(requests, new Random(1)), StandardCharsets.UTF_8));
    }

    @Test
    void theBytesCanBeReadAgainFromAnyCommandOn() {
        Random random = new Random(5);
        RequestBuffer requests = new RequestBuffer(new BufferPool());
        int[] sizes = new int[300];
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = requests.append(random(random));
        }
        byte[] all = read(requests, random);
        int from = 0;
        for (int size : sizes) {
            requests.rewind(from);
            ByteBuffer next = requests.next(size);
            assertEquals(size, next.remaining(), "a command never spans blocks");
            assertArrayEquals(
                    Arrays.copyOfRange(all, from, from + size),
                    Arrays.copyOfRange(next.array(), next.position(), next.limit()));
            from += size;
        }
    }

    @Test
    void aCommandThatCannotBeEncodedLeavesNoBytes() {
        RequestBuffer requests = new RequestBuffer(new BufferPool());
        requests.append(new CommandArguments(Command.GET).key("a"));
        assertThrows(
                IllegalStateException.class,
                () ->
                        requests.append(
                                new CommandArguments(Command.SET).key("b").add(new Failing())));
        requests.append(new CommandArguments(Command.GET).key("c"));
        assertEquals(
                "*2\r\n$3\r\nGET\r\n$1\r\na\r\n*2\r\n$3\r\nGET\r\n$1\r\nc\r\n",
                new String(read(requests, new Random(1)), StandardCharsets.UTF_8));
    }

    private static final class Failing implements Rawable {
        @Override
        public byte[] getRaw() {
            throw new IllegalStateException("no bytes");
        }
    }
}
