package io.onehop.jedis.lab;

import redis.clients.jedis.GeoCoordinate;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.StreamEntryID;
import redis.clients.jedis.args.LongRange;
import redis.clients.jedis.json.Path;
import redis.clients.jedis.json.Path2;
import redis.clients.jedis.params.ZRangeParams;
import redis.clients.jedis.util.CompareCondition;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Data of every kind, and matching arguments for any method of Jedis' API.
 *
 * <p>Every text argument is one of three names of the same kind. Each name is a key, a field and a
 * member: {@code hget(key1, key2)} finds the field key2. The names share a hash tag, so commands
 * with several keys find them on one node.
 */
@SuppressWarnings("deprecation") // Jedis' own Path is deprecated, but its methods must work.
public final class Samples {

    /* One of each of Jedis' own types that cannot be made empty. */
    private static final Map<Class<?>, Object> OWN =
            Map.of(
                    StreamEntryID.class,
                    new StreamEntryID(2, 0),
                    Path.class,
                    Path.ROOT_PATH,
                    Path2.class,
                    Path2.ROOT_PATH,
                    GeoCoordinate.class,
                    new GeoCoordinate(13.5, 38.5),
                    CompareCondition.class,
                    CompareCondition.valueEq("11"),
                    ZRangeParams.class,
                    ZRangeParams.zrangeParams(0, 1),
                    LongRange.class,
                    LongRange.of(0, 1),
                    Number.class,
                    3,
                    float.class,
                    0.5f,
                    Class.class,
                    String.class);

    /* Methods whose names begin like those of another kind. */
    private static final Set<String> OF_STRINGS =
            Set.of(
                    "set",
                    "strlen",
                    "substr",
                    "setex",
                    "setnx",
                    "setbit",
                    "setrange",
                    "setGet",
                    "rename",
                    "renamenx",
                    "restore",
                    "lcs",
                    "hashCode");

    /** Thrown if there is no sample of a type. */
    public static final class NoSample extends Exception {
        private static final long serialVersionUID = 1;

        NoSample(Type type) {
            super(type.getTypeName());
        }
    }

    private Samples() {}

    /** The kind of data that a method needs, by its name. */
    public static String kind(String method) {
        for (String kind : List.of("geo", "pf", "h", "z", "x", "s", "l", "r")) {
            if (method.startsWith(kind) && !OF_STRINGS.contains(method)) {
                return kind.equals("r") ? "l" : kind;
            }
        }
        return method.startsWith("bl") || method.startsWith("br")
                ? "l"
                : method.startsWith("bz") ? "z" : "string";
    }

    /** The names of a kind. */
    public static List<String> names(String kind) {
        return List.of("{tag}" + kind + "1", "{tag}" + kind + "2", "{tag}" + kind + "3");
    }

    /** Writes the data of a kind to the node of its names. */
    public static void seed(Jedis node, String kind) {
        List<String> names = names(kind);
        for (String key : names.subList(0, 2)) {
            for (int i = 0; i < names.size(); i++) {
                String member = names.get(i);
                switch (kind) {
                    case "h" -> node.hset(key, member, String.valueOf(i + 5));
                    case "l" -> node.rpush(key, member);
                    case "s" -> node.sadd(key, member, "only " + key);
                    case "z" -> node.zadd(key, i + 1.0, member);
                    case "geo" -> node.geoadd(key, 13.0 + i, 38.0 + i, member);
                    case "pf" -> node.pfadd(key, member, key);
                    case "x" ->
                            node.xadd(key, new StreamEntryID(i + 1, 0), Map.of(member, "value"));
                    default -> node.set(key, "1" + key.charAt(key.length() - 1));
                }
            }
        }
        if (kind.equals("x")) {
            node.xgroupCreate(names.get(0), names.get(1), new StreamEntryID(0, 0), false);
        }
    }

    /** Arguments for a method, with the names of a kind. */
    public static Object[] arguments(Method method, String kind) throws NoSample {
        Class<?>[] types = method.getParameterTypes();
        Object[] arguments = new Object[types.length];
        int texts = 0;
        for (int i = 0; i < types.length; i++) {
            boolean isText = types[i] == String.class || types[i] == byte[].class;
            arguments[i] = sample(types[i], method.getGenericParameterTypes()[i], kind, texts);
            texts += isText ? 1 : 0;
        }
        return arguments;
    }

    private static Object sample(Class<?> type, Type generic, String kind, int texts)
            throws NoSample {
        String name = names(kind).get(Math.min(texts, 2));
        if (type == String.class) {
            return name;
        }
        if (type == byte[].class) {
            return bytes(name);
        }
        if (type == int.class || type == Integer.class) {
            return 1;
        }
        if (type == long.class || type == Long.class) {
            return 2L;
        }
        if (type == double.class || type == Double.class) {
            return 1.5;
        }
        if (type == boolean.class || type == Boolean.class) {
            return true;
        }
        if (type == Object.class) {
            return name;
        }
        if (OWN.containsKey(type)) {
            return OWN.get(type);
        }
        // A stream and the entry to read after.
        if (type == Map.Entry.class && generic.getTypeName().contains("byte[], byte[]")) {
            return Map.entry(bytes(name), bytes("1-0"));
        }
        if (type == Map.Entry.class && generic.getTypeName().contains("StreamEntryID")) {
            Object key = generic.getTypeName().contains("byte[]") ? bytes(name) : name;
            return Map.entry(key, new StreamEntryID(1, 0));
        }
        if (type.isArray()) {
            return array(type.getComponentType(), generic, kind, texts);
        }
        return collectionOrOwn(type, generic, kind, texts);
    }

    private static Object array(Class<?> element, Type generic, String kind, int texts)
            throws NoSample {
        Object array = Array.newInstance(element, 2);
        for (int i = 0; i < 2; i++) {
            Array.set(array, i, sample(element, generic, kind, texts + i));
        }
        return array;
    }

    private static Object collectionOrOwn(Class<?> type, Type generic, String kind, int texts)
            throws NoSample {
        boolean isBinary = generic.getTypeName().contains("byte[]");
        if (type == Map.class) {
            if (generic.getTypeName().contains("Double")) {
                return isBinary ? Map.of(bytes("member"), 2.5) : Map.of("member", 2.5);
            }
            if (generic.getTypeName().contains("StreamEntryID")) {
                return Map.of(
                        isBinary ? bytes(names(kind).get(0)) : names(kind).get(0),
                        new StreamEntryID(1, 0));
            }
            if (generic.getTypeName().contains("GeoCoordinate")) {
                return Map.of(isBinary ? bytes("member") : "member", OWN.get(GeoCoordinate.class));
            }
            if (generic.getTypeName().contains("Long")) {
                return generic.getTypeName().contains("Long,")
                        ? Map.of(1L, isBinary ? bytes("value") : "value")
                        : Map.of(names(kind).get(1), 1L);
            }
            if (generic.getTypeName().contains("String, java.lang.String")
                    || generic.getTypeName().contains("byte[], byte[]")) {
                return isBinary ? Map.of(bytes("field"), bytes("7")) : Map.of("field", "7");
            }
            throw new NoSample(generic);
        }
        if (type == List.class) {
            if (generic.getTypeName().contains("String") || isBinary) {
                return isBinary
                        ? List.of(bytes(names(kind).get(0)), bytes(names(kind).get(1)))
                        : names(kind).subList(0, 2);
            }
            throw new NoSample(generic);
        }
        return type.isEnum() ? type.getEnumConstants()[0] : made(type);
    }

    /** An empty object of one of Jedis' own parameter types. */
    private static Object made(Class<?> type) throws NoSample {
        try {
            if (Modifier.isAbstract(type.getModifiers())) {
                throw new NoSample(type);
            }
            for (Constructor<?> constructor : type.getConstructors()) {
                if (constructor.getParameterCount() == 0) {
                    return constructor.newInstance();
                }
            }
            for (Method method : type.getMethods()) {
                if (Modifier.isStatic(method.getModifiers())
                        && method.getParameterCount() == 0
                        && method.getReturnType() == type) {
                    return method.invoke(null);
                }
            }
        } catch (ReflectiveOperationException failure) {
            throw new IllegalStateException(failure);
        }
        throw new NoSample(type);
    }

    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** A value as text, so that arrays and Jedis' own types can be compared. */
    public static String shown(Object value) {
        if (value instanceof byte[] bytes) {
            return "bytes:" + new String(bytes, StandardCharsets.ISO_8859_1);
        }
        if (value instanceof Map<?, ?> map) {
            List<String> entries = new ArrayList<>();
            map.forEach((key, element) -> entries.add(shown(key) + "=" + shown(element)));
            entries.sort(null);
            return "map" + entries;
        }
        if (value instanceof Set<?> set) {
            List<String> elements = new ArrayList<>(set.stream().map(Samples::shown).toList());
            elements.sort(null);
            return "set" + elements;
        }
        if (value instanceof Iterable<?> elements) {
            List<String> list = new ArrayList<>();
            elements.forEach(element -> list.add(shown(element)));
            return "list" + list;
        }
        if (value instanceof Object[] array) {
            return "array" + shown(Arrays.asList(array));
        }
        return value == null ? "null" : own(value);
    }

    /** A type of Jedis without toString, by the values of its getters. */
    private static String own(Object value) {
        boolean hasToString = !value.toString().contains("@");
        if (hasToString) {
            return value.getClass().getSimpleName() + ":" + value;
        }
        List<String> parts = new ArrayList<>();
        for (Method method : value.getClass().getMethods()) {
            boolean isGetter =
                    method.getParameterCount() == 0
                            && (method.getName().startsWith("get")
                                    || method.getName().startsWith("is"))
                            && !method.getName().equals("getClass");
            if (isGetter) {
                try {
                    parts.add(method.getName() + "=" + shown(method.invoke(value)));
                } catch (ReflectiveOperationException failure) {
                    parts.add(method.getName() + " fails");
                }
            }
        }
        parts.sort(null);
        return value.getClass().getSimpleName() + parts;
    }
}
