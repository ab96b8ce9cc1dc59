package io.onehop.jedis.parity;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.CommandObjects;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.Response;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.args.Rawable;
import redis.clients.jedis.csc.Cache;
import redis.clients.jedis.executors.CommandExecutor;
import redis.clients.jedis.providers.ConnectionProvider;
import redis.clients.jedis.util.SafeEncoder;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/**
 * A UnifiedJedis and its pipeline that send nothing. They remember the command that a method would
 * have sent.
 */
final class Recorder extends UnifiedJedis {
    private final Memory memory;

    private static final class Memory implements CommandExecutor {
        private CommandArguments last;

        @Override
        public <T> T executeCommand(CommandObject<T> command) {
            last = command.getArguments();
            return null;
        }

        @Override
        public void close() {
            // There is nothing to close.
        }
    }

    private final class Queue extends AbstractPipeline {
        Queue() {
            super(new CommandObjects(RedisProtocol.RESP2));
        }

        @Override
        protected <T> Response<T> appendCommand(CommandObject<T> command) {
            memory.executeCommand(command);
            return null;
        }

        @Override
        public void sync() {
            // Nothing is sent.
        }

        @Override
        public void close() {
            // Nothing is sent.
        }
    }

    Recorder() {
        this(new Memory());
    }

    private Recorder(Memory memory) {
        super(memory, (ConnectionProvider) null, RedisProtocol.RESP2, (Cache) null);
        this.memory = memory;
    }

    /** The words of the command that a call sends; empty if it sends none. */
    List<String> words(Method method, Object[] arguments) {
        memory.last = null;
        try {
            boolean isPiped = !method.getDeclaringClass().isInstance(this);
            method.invoke(isPiped ? new Queue() : this, arguments);
        } catch (InvocationTargetException ignored) {
            // Most methods do not expect an empty reply.
        } catch (IllegalAccessException hidden) {
            throw new IllegalStateException(hidden);
        }
        List<String> words = new ArrayList<>();
        for (Rawable word : memory.last == null ? List.<Rawable>of() : memory.last) {
            words.add(SafeEncoder.encode(word.getRaw()));
        }
        return words;
    }
}
