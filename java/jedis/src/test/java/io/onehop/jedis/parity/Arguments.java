package io.onehop.jedis.parity;

import redis.clients.jedis.GeoCoordinate;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.StreamEntryID;
import redis.clients.jedis.args.GeoUnit;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.json.Path;
import redis.clients.jedis.json.Path2;
import redis.clients.jedis.params.GeoSearchParam;
import redis.clients.jedis.search.schemafields.SchemaField;
import redis.clients.jedis.search.schemafields.TextField;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Makes arguments for any method of Jedis from the types of its parameters. Texts and bytes are the
 * words of a row, one after another; all numbers are equal; other arguments are made of these.
 *
 * <p>It does not know what a method does. With several rows of words some calls are meaningful.
 */
final class Arguments {
    private static final int DEPTH_MAX = 4;

    /** Thrown for a type of which it cannot make an argument. */
    static final class Unmakeable extends RuntimeException {
        private static final long serialVersionUID = 1;

        Unmakeable(Type type) {
            super(type.getTypeName());
        }
    }

    private final String[] words;
    private final long number;
    private final Map<Type, Supplier<Object>> known = new LinkedHashMap<>();
    private int next;

    /** The words are used one after another; then the last word is repeated. */
    @SuppressWarnings("deprecation")
    Arguments(long number, String... words) {
        this.words = words;
        this.number = number;
        known.put(String.class, this::word);
        known.put(CharSequence.class, this::word);
        known.put(Object.class, this::word);
        known.put(byte[].class, () -> word().getBytes(StandardCharsets.UTF_8));
        known.put(boolean.class, () -> true);
        known.put(int.class, () -> (int) number);
        known.put(Integer.class, () -> (int) number);
        known.put(long.class, () -> number);
        known.put(Long.class, () -> number);
        known.put(Number.class, () -> number);
        known.put(double.class, () -> number / 100.0); // For a timeout, a hundredth is enough.
        known.put(Double.class, () -> number / 100.0);
        known.put(float.class, () -> (float) number);
        known.put(Class.class, () -> Object.class);
        known.put(StreamEntryID.class, () -> new StreamEntryID(number, number));
        known.put(GeoCoordinate.class, () -> new GeoCoordinate(13.361389, 38.115556));
        known.put(GeoUnit.class, () -> GeoUnit.KM);
        known.put(ProtocolCommand.class, () -> Protocol.Command.GET);
        known.put(Path.class, () -> Path.ROOT_PATH);
        known.put(Path2.class, () -> Path2.ROOT_PATH);
        known.put(
                GeoSearchParam.class,
                () -> new GeoSearchParam().fromLonLat(15, 37).byRadius(200, GeoUnit.KM));
    }

    private String word() {
        String word = words[Math.min(next, words.length - 1)];
        next++;
        return word;
    }

    /** Arguments for a call. They begin again with the first word. */
    Object[] of(Executable method) {
        next = 0;
        return all(method, 0);
    }

    private Object[] all(Executable method, int depth) {
        return Arrays.stream(method.getGenericParameterTypes())
                .map(type -> make(type, depth))
                .toArray();
    }

    private Object make(Type type, int depth) {
        if (known.containsKey(type)) {
            return known.get(type).get();
        }
        if (depth > DEPTH_MAX) {
            throw new Unmakeable(type);
        }
        if (type instanceof ParameterizedType generic) {
            return generic(generic, depth);
        }
        if (!(type instanceof Class<?> made)) {
            return array(type, depth);
        }
        if (made.isArray()) {
            return array(made, depth);
        }
        return made.isEnum() ? made.getEnumConstants()[0] : object(made, depth);
    }

    private Object generic(ParameterizedType type, int depth) {
        Type[] parts = type.getActualTypeArguments();
        Class<?> raw = (Class<?>) type.getRawType();
        if (raw == Class.class) {
            return Object.class;
        }
        if (raw == Map.Entry.class) {
            return Map.entry(make(parts[0], depth + 1), make(parts[1], depth + 1));
        }
        if (raw == Map.class) {
            Object key = make(parts[0], depth + 1);
            return new LinkedHashMap<>(Map.of(key, make(parts[1], depth + 1)));
        }
        if (raw.isAssignableFrom(List.class)) {
            return new ArrayList<>(List.of(make(parts[0], depth + 1), make(parts[0], depth + 1)));
        }
        throw new Unmakeable(type);
    }

    /** Two elements of a type. */
    private Object array(Type type, int depth) {
        Class<?> component =
                type instanceof Class<?> made ? made.getComponentType() : Map.Entry.class;
        Type of =
                type instanceof GenericArrayType generic
                        ? generic.getGenericComponentType()
                        : component;
        Object array = Array.newInstance(component, 2);
        Array.set(array, 0, make(of, depth + 1));
        Array.set(array, 1, make(of, depth + 1));
        return array;
    }

    /** An object made by the factory or constructor that needs the fewest arguments. */
    private Object object(Class<?> type, int depth) {
        List<Executable> ways = new ArrayList<>();
        for (Method method : type.getMethods()) {
            if (Modifier.isStatic(method.getModifiers())
                    && type.isAssignableFrom(method.getReturnType())) {
                ways.add(method);
            }
        }
        if (!Modifier.isAbstract(type.getModifiers())) {
            ways.addAll(Arrays.asList(type.getConstructors()));
        }
        ways.sort(
                Comparator.comparing(Executable::getParameterCount)
                        .thenComparing(Executable::toGenericString));
        for (Executable way : ways) {
            try {
                Object[] arguments = all(way, depth + 1);
                return way instanceof Method factory
                        ? factory.invoke(null, arguments)
                        : ((Constructor<?>) way).newInstance(arguments);
            } catch (ReflectiveOperationException | RuntimeException tryNext) {
                continue;
            }
        }
        return subclass(type, depth);
    }

    private Object subclass(Class<?> type, int depth) {
        if (type == SchemaField.class) {
            return make(TextField.class, depth + 1);
        }
        throw new Unmakeable(type);
    }
}
