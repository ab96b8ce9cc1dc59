package io.onehop.jedis.internal.batch;

import io.onehop.core.command.Command;
import io.onehop.core.command.Command.MergeRule;
import io.onehop.core.command.Info;
import io.onehop.core.command.Split;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.exceptions.JedisDataException;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;

/**
 * How the replies of several nodes become one reply: one small function for each rule.
 *
 * <p>In: one reply for each part, as Jedis decodes them from the wire (numbers, bytes, lists,
 * {@code null}, errors). Out: the merged reply, of the same kind. An error is not merged; it
 * becomes the reply. Pure. Implements spec/route/route.md, "Merging"; spec/tools/reference/merge.py
 * is the reference.
 */
final class MergeRules {
    /**
     * The replies do not fit together: for {@code EQUAL} they differ, for other rules they are of
     * different kinds.
     */
    static final Object DIFFERENT = new Object();

    private MergeRules() {}

    /**
     * True if a reply has the shape that merging needs; for {@code IN_ORDER} a list with {@code
     * elements} elements. If it has not, the stream cannot be trusted.
     */
    static boolean fits(MergeRule rule, int elements, @Nullable Object reply) {
        return switch (rule) {
            case IN_ORDER -> reply instanceof List<?> list && list.size() == elements;
            case SUM, MIN, MAX, AND ->
                    reply instanceof Long
                            || reply instanceof List<?> list
                                    && list.stream().allMatch(Long.class::isInstance);
            case CONCAT -> reply instanceof byte[] || reply instanceof List<?>;
            case UNION ->
                    reply instanceof List<?> list
                            && list.stream().allMatch(byte[].class::isInstance);
            case STREAMS ->
                    reply == null
                            || reply instanceof List<?> list
                                    && list.stream()
                                            .allMatch(
                                                    stream ->
                                                            stream instanceof List<?> pair
                                                                    && pair.size() == 2
                                                                    && pair.get(0)
                                                                            instanceof byte[]);
            case ALL_OK, INFO -> reply instanceof byte[];
            case ONE_OK -> reply != null;
            default -> true;
        };
    }

    /**
     * One reply made of all. {@code order} has the keys in the caller's order, {@code nodes} a name
     * for each part.
     */
    static @Nullable Object merged(
            Command command,
            Split.Part[] parts,
            List<Object> replies,
            List<byte[]> order,
            List<String> nodes) {
        Object error = firstError(replies);
        if (command.merge() == MergeRule.ONE_OK) {
            return replies.stream()
                    .filter(reply -> !(reply instanceof Exception))
                    .findFirst()
                    .orElse(error);
        }
        return error != null
                ? error
                : switch (command.merge()) {
                    case IN_ORDER -> inOrder(command.mergeWidth(), parts, replies);
                    case SUM -> numbers(replies, Long::sum);
                    case MIN -> numbers(replies, Math::min);
                    case MAX -> numbers(replies, Math::max);
                    case AND -> numbers(replies, (one, other) -> one != 0 && other != 0 ? 1L : 0L);
                    case EQUAL -> equal(replies);
                    case CONCAT -> concat(replies);
                    case UNION -> union(replies);
                    case FIRST_NOT_NIL ->
                            replies.stream()
                                    .filter(reply -> reply != null)
                                    .findFirst()
                                    .orElse(null);
                    case STREAMS -> streams(replies, order);
                    case INFO ->
                            Info.merged(replies.stream().map(MergeRules::text).toList())
                                    .getBytes(StandardCharsets.ISO_8859_1);
                    case PER_NODE -> perNode(nodes, replies);
                    default -> replies.get(0);
                };
    }

    private static @Nullable Object firstError(List<Object> replies) {
        for (Object reply : replies) {
            if (reply instanceof JedisDataException) {
                return reply;
            }
        }
        return null;
    }

    /** Puts each part's elements where their keys were in the caller's command. */
    private static List<Object> inOrder(int width, Split.Part[] parts, List<Object> replies) {
        Object[] all = new Object[width * parts[0].all()];
        for (int i = 0; i < parts.length; i++) {
            List<?> elements = (List<?>) replies.get(i);
            int number = 0;
            for (int key = 0; key < parts[i].count(); key++) {
                int at = width * parts[i].key(key);
                for (int end = at + width; at < end; at++) {
                    all[at] = elements.get(number++);
                }
            }
        }
        return Arrays.asList(all);
    }

    /** Combines numbers, or lists of equal length element by element. */
    private static @Nullable Object numbers(List<Object> replies, BinaryOperator<Long> combine) {
        if (replies.stream().allMatch(Long.class::isInstance)) {
            return replies.stream().map(Long.class::cast).reduce(combine).orElse(null);
        }
        if (replies.stream()
                        .map(reply -> reply instanceof List<?> list ? list.size() : -1)
                        .distinct()
                        .count()
                > 1) {
            return DIFFERENT;
        }
        Object[] all = ((List<?>) replies.get(0)).toArray();
        for (Object reply : replies.subList(1, replies.size())) {
            Arrays.setAll(
                    all,
                    place -> combine.apply((Long) all[place], (Long) ((List<?>) reply).get(place)));
        }
        return Arrays.asList(all);
    }

    private static Object equal(List<Object> replies) {
        Object first = replies.get(0);
        boolean isSame =
                replies.stream()
                        .allMatch(
                                reply ->
                                        isSame(reply, first)
                                                || isMap(reply)
                                                        && isMap(first)
                                                        && map(reply).equals(map(first)));
        return isSame ? first : DIFFERENT;
    }

    /** True if it can be a map of RESP2: a list of pairs of name and value, in any order. */
    private static boolean isMap(Object reply) {
        return reply instanceof List<?> list
                && list.size() % 2 == 0
                && list.stream().allMatch(byte[].class::isInstance);
    }

    private static Map<ByteBuffer, ByteBuffer> map(Object reply) {
        Map<ByteBuffer, ByteBuffer> map = new LinkedHashMap<>();
        List<?> list = (List<?>) reply;
        for (int i = 0; i < list.size(); i += 2) {
            map.put(
                    ByteBuffer.wrap((byte[]) list.get(i)),
                    ByteBuffer.wrap((byte[]) list.get(i + 1)));
        }
        return map;
    }

    private static boolean isSame(Object one, Object other) {
        if (!(one instanceof List<?> left) || !(other instanceof List<?> right)) {
            return one instanceof byte[] bytes && other instanceof byte[] others
                    ? Arrays.equals(bytes, others)
                    : one == null ? other == null : one.equals(other);
        }
        boolean same = left.size() == right.size();
        for (int i = 0; i < left.size() && same; i++) {
            same = isSame(left.get(i), right.get(i));
        }
        return same;
    }

    /** Joins lists, or texts, one after another. */
    private static Object concat(List<Object> replies) {
        if (replies.stream().map(reply -> reply instanceof byte[]).distinct().count() > 1) {
            return DIFFERENT;
        }
        if (replies.get(0) instanceof byte[]) {
            ByteArrayOutputStream text = new ByteArrayOutputStream();
            replies.forEach(reply -> text.writeBytes((byte[]) reply));
            return text.toByteArray();
        }
        List<Object> all = new ArrayList<>();
        replies.forEach(reply -> all.addAll((List<?>) reply));
        return all;
    }

    private static List<Object> union(List<Object> replies) {
        Map<ByteBuffer, Object> seen = new LinkedHashMap<>();
        for (Object reply : replies) {
            for (Object element : (List<?>) reply) {
                seen.putIfAbsent(ByteBuffer.wrap((byte[]) element), element);
            }
        }
        return new ArrayList<>(seen.values());
    }

    /**
     * Streams and their entries in the caller's order of streams; {@code null} if no stream had an
     * entry.
     */
    private static @Nullable List<Object> streams(List<Object> replies, List<byte[]> order) {
        Map<ByteBuffer, Object> found = new LinkedHashMap<>();
        for (Object reply : replies) {
            for (Object stream : reply == null ? List.of() : (List<?>) reply) {
                found.put(ByteBuffer.wrap((byte[]) ((List<?>) stream).get(0)), stream);
            }
        }
        List<Object> all = new ArrayList<>();
        for (byte[] key : order) {
            Object stream = found.remove(ByteBuffer.wrap(key));
            if (stream != null) {
                all.add(stream);
            }
        }
        return all.isEmpty() ? null : all;
    }

    private static String text(Object reply) {
        return new String((byte[]) reply, StandardCharsets.ISO_8859_1);
    }

    private static Map<String, Object> perNode(List<String> nodes, List<Object> replies) {
        Map<String, Object> all = new LinkedHashMap<>();
        for (int i = 0; i < nodes.size(); i++) {
            all.put(nodes.get(i), replies.get(i));
        }
        return all;
    }
}
