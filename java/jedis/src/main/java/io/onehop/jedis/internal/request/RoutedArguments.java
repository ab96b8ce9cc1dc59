package io.onehop.jedis.internal.request;

import io.onehop.core.command.CommandWords;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandKeyArgumentPreProcessor;
import redis.clients.jedis.CommandObjects;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.args.Rawable;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.util.SafeEncoder;

import java.util.Arrays;

/**
 * A command's arguments, encoded once. A key is placed by exactly the bytes that are sent.
 *
 * <p>For each argument Jedis encodes the text and copies the result, and it encodes a key once more
 * to place it. Nothing here outlives its call, so copies would protect nothing. {@code getKeys()}
 * returns the encoded bytes of the keys.
 */
public class RoutedArguments extends CommandArguments {

    /** Makes a client's commands with such arguments. */
    public static final class Factory extends CommandObjects {
        public Factory(RedisProtocol protocol) {
            super(protocol);
        }

        @Override
        protected CommandArguments commandArguments(ProtocolCommand command) {
            return keyPreProcessor == null
                    ? new RoutedArguments(command)
                    : new PreProcessed(command, keyPreProcessor);
        }
    }

    private static final class Bytes implements Rawable {
        private final byte[] bytes;

        Bytes(byte[] bytes) {
            if (bytes == null) {
                throw new IllegalArgumentException("null is not a valid argument.");
            }
            this.bytes = bytes;
        }

        @Override
        public byte[] getRaw() {
            return bytes;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Bytes that && Arrays.equals(bytes, that.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }
    }

    /** A class of its own, so that clients without a pre-processor have no field for it. */
    private static final class PreProcessed extends RoutedArguments {
        private final CommandKeyArgumentPreProcessor preProcessor;

        PreProcessed(ProtocolCommand command, CommandKeyArgumentPreProcessor preProcessor) {
            super(command);
            this.preProcessor = preProcessor;
        }

        @Override
        Object actual(Object key) {
            return preProcessor.actualKey(key);
        }
    }

    public RoutedArguments(ProtocolCommand command) {
        super(command);
    }

    /** A command with these words. */
    public static CommandArguments of(byte[][] words) {
        CommandArguments arguments = new RoutedArguments(() -> words[0]);
        for (int i = 1; i < words.length; i++) {
            arguments.add(words[i]);
        }
        return arguments;
    }

    /** The key as it is sent. */
    Object actual(Object key) {
        return key;
    }

    @Override
    public CommandArguments key(Object key) {
        Object actual = actual(key);
        if (actual instanceof String text) {
            return super.key(new Bytes(SafeEncoder.encode(text)));
        }
        if (actual instanceof byte[] bytes) {
            return super.key(new Bytes(bytes));
        }
        if (actual == null) {
            throw new IllegalArgumentException("null is not a valid key.");
        }
        return super.key(actual);
    }

    @Override
    public CommandArguments add(byte[] argument) {
        return add(new Bytes(argument));
    }

    @Override
    public CommandArguments add(String argument) {
        return add(new Bytes(SafeEncoder.encode(argument)));
    }

    @Override
    public CommandArguments add(int argument) {
        return add(new Bytes(Protocol.toByteArray(argument)));
    }

    @Override
    public CommandArguments add(long argument) {
        return add(new Bytes(Protocol.toByteArray(argument)));
    }

    @Override
    public CommandArguments add(double argument) {
        return add(new Bytes(Protocol.toByteArray(argument)));
    }

    @Override
    public CommandArguments add(Object argument) {
        if (argument instanceof String text) {
            return add(text);
        }
        return argument instanceof byte[] bytes ? add(bytes) : super.add(argument);
    }

    /** A command as Jedis built it, in the form that the command table reads. */
    public record ArgumentWords(CommandArguments arguments) implements CommandWords {
        @Override
        public int count() {
            return arguments.size();
        }

        @Override
        public byte[] word(int position) {
            return arguments.get(position).getRaw();
        }
    }
}
