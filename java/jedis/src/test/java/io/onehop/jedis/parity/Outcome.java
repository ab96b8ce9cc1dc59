package io.onehop.jedis.parity;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.resps.ScanResult;
import redis.clients.jedis.util.JedisCommandIterationBase;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The result of a call: the exception, or the value, written as text with the types of all its
 * parts. So the results of two calls can be compared.
 */
record Outcome(String text, Throwable thrown) {
    /** The most batches of an iteration, in case it would never end. */
    private static final int BATCHES_MAX = 100;

    /**
     * The outcome of a call of the client, or of its pipeline if the method is one of pipelines.
     */
    static Outcome of(UnifiedJedis client, Method method, Object[] arguments) {
        try {
            Object value =
                    method.getDeclaringClass().isInstance(client)
                            ? method.invoke(client, arguments)
                            : piped(client, method, arguments);
            return new Outcome(new Writer().write(value), null);
        } catch (InvocationTargetException failure) {
            return failed(failure.getCause());
        } catch (JedisException later) { // Thrown by an iteration or by a response of a pipeline.
            return failed(later);
        } catch (ReflectiveOperationException hidden) {
            throw new IllegalStateException(hidden);
        }
    }

    private static Object piped(UnifiedJedis client, Method method, Object[] arguments)
            throws ReflectiveOperationException {
        try (AbstractPipeline pipeline = client.pipelined()) {
            Response<?> reply = (Response<?>) method.invoke(pipeline, arguments);
            pipeline.sync();
            return reply.get();
        }
    }

    private static Outcome failed(Throwable thrown) {
        // If a node does not know a command, it quotes the words that it was sent.
        String message = String.valueOf(thrown.getMessage()).replaceAll("with args beg.*", "");
        return new Outcome(thrown.getClass().getName() + ": " + message, thrown);
    }

    /**
     * The type of the value or of the exception. If values are different each time, only the types
     * are compared.
     */
    String type() {
        return thrown == null ? text.replaceAll("(?s)[ (\\[{].*", "") : thrown.getClass().getName();
    }

    /**
     * Writes values as text: sets and maps sorted, bytes as text, objects of Jedis with their
     * fields.
     */
    private static final class Writer {
        private final Set<Object> inside = Collections.newSetFromMap(new IdentityHashMap<>());

        String write(Object value) {
            if (value == null) {
                return "null";
            }
            if (value instanceof byte[] bytes) {
                return "bytes \"" + new String(bytes, StandardCharsets.ISO_8859_1) + "\"";
            }
            if (value instanceof String
                    || value instanceof Number
                    || value instanceof Boolean
                    || value instanceof Enum
                    || value instanceof Class) {
                return value.getClass().getSimpleName() + " \"" + value + "\"";
            }
            if (value.getClass().isArray()) {
                List<Object> elements = new ArrayList<>();
                for (int i = 0; i < Array.getLength(value); i++) {
                    elements.add(Array.get(value, i));
                }
                return "array" + elements.stream().map(this::write).toList();
            }
            if (!inside.add(value)) {
                return "itself";
            }
            String text = structure(value);
            inside.remove(value);
            return text;
        }

        private String structure(Object value) {
            if (value instanceof JedisCommandIterationBase<?, ?> iteration) {
                return "iteration" + iterated(iteration);
            }
            if (value instanceof Set<?> set) {
                return "set" + new TreeSet<>(set.stream().map(this::write).toList());
            }
            if (value instanceof Collection<?> list) {
                return "list" + list.stream().map(this::write).toList();
            }
            if (value instanceof Map<?, ?> map) {
                Map<String, String> sorted = new TreeMap<>();
                map.forEach((key, mapped) -> sorted.put(write(key), write(mapped)));
                return "map" + sorted;
            }
            if (value instanceof Map.Entry<?, ?> entry) {
                return "entry(" + write(entry.getKey()) + ", " + write(entry.getValue()) + ")";
            }
            return value.getClass().getName().startsWith("redis.clients.")
                    ? fields(value)
                    : value.getClass().getSimpleName() + " \"" + value + "\"";
        }

        private Set<String> iterated(JedisCommandIterationBase<?, ?> iteration) {
            Set<String> all = new TreeSet<>();
            for (int i = 0; i < BATCHES_MAX && !iteration.isIterationCompleted(); i++) {
                Object batch = iteration.nextBatch();
                if (batch instanceof ScanResult<?> scanned) {
                    scanned.getResult().forEach(element -> all.add(write(element)));
                } else if (batch instanceof Collection<?> elements) {
                    elements.forEach(element -> all.add(write(element)));
                } else {
                    all.add(write(batch));
                }
            }
            return all;
        }

        private String fields(Object value) {
            Map<String, String> fields = new TreeMap<>();
            for (Class<?> type = value.getClass();
                    type != Object.class;
                    type = type.getSuperclass()) {
                for (Field field : type.getDeclaredFields()) {
                    if (!Modifier.isStatic(field.getModifiers())) {
                        fields.put(field.getName(), field(value, field));
                    }
                }
            }
            return value.getClass().getSimpleName() + fields;
        }

        private String field(Object value, Field field) {
            try {
                field.setAccessible(true);
                return write(field.get(value));
            } catch (IllegalAccessException hidden) {
                throw new IllegalStateException(hidden);
            }
        }
    }

    /** The call as text, for messages. */
    static String shown(Method method, Object[] arguments) {
        return method.getName() + Arrays.stream(arguments).map(new Writer()::write).toList();
    }
}
