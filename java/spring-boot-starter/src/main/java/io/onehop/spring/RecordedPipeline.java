package io.onehop.spring;

import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.OneHopFront;
import io.onehop.jedis.OneHopPipeline;
import io.onehop.spring.Translation.TranslatingConnection;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisPipelineException;
import org.springframework.data.redis.core.Cursor;

import redis.clients.jedis.CommandObject;
import redis.clients.jedis.Response;
import redis.clients.jedis.executors.CommandExecutor;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.function.Function;

/**
 * A pipeline of Spring over a pipeline of the client. Spring's own pipeline makes a proxy for every
 * command, and the proxy costs several times as much as the command itself.
 *
 * <p>Every call is made twice, on a connection that hands its commands to this class. The first
 * time, the command goes into the client's pipeline, and the result that Spring makes of the
 * missing reply is dropped. When all replies are there, the call is made again. Now it gets its
 * reply, and Spring's own code converts that reply. For one thread.
 */
final class RecordedPipeline {
    /** Calls that return something, but have no reply in Spring's pipelines. */
    private static final Set<String> WITHOUT_REPLY = Set.of("getClientName", "getClientList");

    /** A call, and the replies to its commands. */
    private record Call(
            Method method, Object target, Object[] arguments, Queue<Response<?>> responses) {
        boolean hasReply() {
            return method.getReturnType() != void.class
                    && !WITHOUT_REPLY.contains(method.getName());
        }
    }

    /**
     * The first time, puts the commands of a call into the pipeline. The second time, answers them.
     */
    private final class Executor implements CommandExecutor {
        @Override
        @SuppressWarnings({"unchecked", "NullAway"}) // The first time there is no reply.
        public <T> T executeCommand(CommandObject<T> command) {
            if (isSent) {
                return (T) current.remove().get();
            }
            current.add(batch.executeCommand(command));
            return null;
        }

        @Override
        public void close() {
            // There is nothing to close.
        }
    }

    private static final class Front extends OneHopFront {
        Front(OneHopClient client, CommandExecutor executor) {
            super(client, executor);
        }
    }

    private final OneHopPipeline batch;
    private final RedisConnection connection;
    private final List<Call> calls = new ArrayList<>();
    private final Map<Class<?>, Object> proxies = new HashMap<>();
    private Queue<Response<?>> current = new ArrayDeque<>(1); // The replies of the call that runs.
    private boolean isSent;

    RecordedPipeline(OneHopClient client) {
        this.batch = client.pipelined();
        this.connection = new TranslatingConnection(new Front(client, new Executor()));
    }

    OneHopPipeline batch() {
        return batch;
    }

    /** A group of commands, such as the commands of strings. Its calls go into the pipeline. */
    <T> T commands(Class<T> type, Function<RedisConnection, T> commands) {
        Object known =
                proxies.computeIfAbsent(type, any -> recording(type, commands.apply(connection)));
        return type.cast(known);
    }

    private Object recording(Class<?> type, Object target) {
        return Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> record(method, target, arguments));
    }

    /** Always {@code null}: a pipeline returns its replies when it is closed. */
    private @Nullable Object record(Method method, Object target, Object[] arguments)
            throws Throwable {
        if (method.getReturnType() == Cursor.class) {
            throw new InvalidDataAccessApiUsageException(
                    "A cursor cannot be used in a pipeline: it needs each reply at once.");
        }
        current = new ArrayDeque<>(1);
        Call call = new Call(method, target, arguments, current);
        try {
            invoke(call);
        } catch (RuntimeException thrown) {
            // Spring cannot convert a missing reply. If no command has come, this is a refusal.
            if (current.isEmpty()) {
                throw thrown;
            }
        }
        if (!current.isEmpty()) {
            calls.add(call);
        }
        return null;
    }

    private static Object invoke(Call call) {
        try {
            return call.method.invoke(call.target, call.arguments);
        } catch (InvocationTargetException thrown) {
            if (thrown.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw thrown.getCause() instanceof Error error ? error : new AssertionError(thrown);
        } catch (IllegalAccessException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /**
     * Sends everything and returns the replies.
     *
     * @throws RedisPipelineException if a reply is an error or is missing; the exception has all
     *     other replies
     */
    List<@Nullable Object> close() {
        try {
            batch.sync();
        } catch (OneHopException failure) {
            // Each reply that is missing because of this failure throws it below.
        }
        isSent = true;
        List<@Nullable Object> replies = new ArrayList<>(calls.size());
        DataAccessException first = null;
        for (Call call : calls) {
            current = call.responses;
            try {
                Object reply = invoke(call);
                if (call.hasReply()) {
                    replies.add(reply);
                }
            } catch (DataAccessException failure) {
                first = first == null ? failure : first;
                replies.add(failure);
            }
        }
        if (first != null) {
            throw new RedisPipelineException(first, replies);
        }
        return replies;
    }
}
