package io.onehop.core.command;

import io.onehop.core.base.Limits;
import io.onehop.core.base.Message;
import io.onehop.core.command.Command.MergeRule;
import io.onehop.core.command.Command.Spread;
import io.onehop.core.command.KeySpec.Begin;
import io.onehop.core.command.KeySpec.Reach;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * One description of a command, as COMMAND INFO has it. It is a list, which has become longer with
 * newer versions of the servers:
 *
 * <pre>
 *     name, arity, flags, first key, last key, step      before redis 6
 *     ... ACL categories                                  redis 6
 *     ... tips, key specifications, subcommands           redis 7
 * </pre>
 *
 * @param specs the key specifications; {@code null} before redis 7
 */
record Description(
        String name,
        Set<String> flags,
        long first,
        long last,
        long step,
        Set<String> categories,
        List<String> tips,
        @Nullable Object specs,
        List<?> children) {
    private static final int NUMBERS = 6; // The fields of the oldest servers.
    private static final int WORD_BYTES_MAX = 15; // The length of a keyword before keys.
    private static final String RESPONSE = "response_policy:";
    private static final Map<String, MergeRule> MERGES =
            Map.of(
                    "agg_sum", MergeRule.SUM,
                    "agg_min", MergeRule.MIN,
                    "agg_max", MergeRule.MAX,
                    "agg_logical_and", MergeRule.AND,
                    "all_succeeded", MergeRule.ALL_OK,
                    "one_succeeded", MergeRule.ONE_OK);

    /* ---- The form ---- */

    /** Reads a description. {@code null}: the value has another form. */
    static @Nullable Description of(@Nullable Object value) {
        if (!(value instanceof List<?> fields) || fields.size() < NUMBERS) {
            return null;
        }
        String name = text(fields.get(0));
        List<String> flags = texts(fields.get(2));
        List<String> categories = fields.size() > 6 ? texts(fields.get(6)) : List.of();
        List<String> tips = fields.size() > 7 ? texts(fields.get(7)) : List.of();
        if (name == null
                || flags == null
                || !(fields.get(3) instanceof Long first)
                || !(fields.get(4) instanceof Long last)
                || !(fields.get(5) instanceof Long step)
                || categories == null
                || tips == null
                || !isName(name)) {
            return null;
        }
        return new Description(
                name.toLowerCase(Locale.ROOT),
                Set.copyOf(flags),
                first,
                last,
                step,
                Set.copyOf(categories),
                tips,
                fields.size() > 8 ? Objects.requireNonNullElse(fields.get(8), "") : null,
                fields.size() > 9 && fields.get(9) instanceof List<?> children
                        ? children
                        : List.of());
    }

    /** True for the name of a command, or of a subcommand, with a bar. */
    private static boolean isName(String name) {
        int bar = name.indexOf('|');
        return name.length() <= Command.NAME_BYTES_MAX
                && Command.isName(bar < 0 ? name : name.substring(0, bar))
                && (bar < 0 || Command.isName(name.substring(bar + 1)));
    }

    private static @Nullable String text(@Nullable Object value) {
        return value instanceof byte[] bytes
                ? new String(bytes, StandardCharsets.ISO_8859_1)
                : null;
    }

    private static @Nullable List<String> texts(@Nullable Object value) {
        if (!(value instanceof List<?> list)) {
            return null;
        }
        List<String> texts = new ArrayList<>();
        for (Object each : list) {
            String text = text(each);
            if (text == null) {
                return null;
            }
            texts.add(text);
        }
        return texts;
    }

    /** In RESP2 a map is a flat list. Anything else is read as an empty map. */
    private static Map<String, @Nullable Object> pairs(@Nullable Object value) {
        Map<String, @Nullable Object> pairs = new HashMap<>();
        List<?> flat = value instanceof List<?> list ? list : List.of();
        for (int i = 0; i + 1 < flat.size(); i += 2) {
            pairs.put(String.valueOf(text(flat.get(i))), flat.get(i + 1));
        }
        return pairs;
    }

    /* ---- The entry ---- */

    /** The entry of the command of this name, as this description says. */
    Command entry(String name) {
        KeySpec[] keys = keys();
        Message refusal = refusal(keys == null || keys.length > 0);
        boolean isForAll = keys != null && keys.length == 0;
        Command entry =
                new Command(
                        name,
                        refusal != null
                                ? Spread.REFUSED
                                : isForAll ? Spread.ALL_NODES : Spread.ONE_NODE,
                        true);
        entry.reason = refusal == null ? null : refusal.what();
        entry.merge = refusal == null && isForAll ? merge() : MergeRule.NONE;
        entry.isWrite = !flags.contains("readonly");
        entry.isRetryable = flags.contains("readonly");
        entry.asksKeys = keys == null;
        entry.keys = keys == null ? entry.keys : keys;
        entry.isUnshared = categories.isEmpty() && !has(flags, "readonly", "write");
        entry.seal();
        return entry;
    }

    /** The entry of a command that needs a subcommand. */
    static Command container(String name) {
        Command entry = new Command(name, Spread.REFUSED, true);
        entry.reason = Message.LEARNT_WITHOUT_KEY.what();
        return entry;
    }

    private @Nullable Message refusal(boolean hasKeys) {
        if (has(flags, "pubsub") || has(categories, "@connection", "@transaction", "@pubsub")) {
            return Message.LEARNT_CONNECTION;
        }
        if (has(flags, "blocking") || has(categories, "@blocking")) {
            return Message.LEARNT_BLOCKING;
        }
        boolean isForAll =
                tips.contains("request_policy:all_nodes")
                        || tips.contains("request_policy:all_shards");
        return hasKeys || isForAll ? null : Message.LEARNT_WITHOUT_KEY;
    }

    private static boolean has(Set<String> texts, String... any) {
        return List.of(any).stream().anyMatch(texts::contains);
    }

    private MergeRule merge() {
        return tips.stream()
                .filter(tip -> tip.startsWith(RESPONSE))
                .findFirst()
                .map(tip -> MERGES.get(tip.substring(RESPONSE.length())))
                .orElse(MergeRule.PER_NODE);
    }

    /* ---- Keys ---- */

    /** The key specifications; {@code null} if they are not enough, so that a node is asked. */
    private KeySpec @Nullable [] keys() {
        KeySpec[] found = specs == null ? span() : read(specs);
        boolean isExplained = false;
        for (KeySpec spec : found == null ? new KeySpec[0] : found) {
            isExplained |= spec.begin.keyword() != null || spec.reach.keynum() >= 0;
        }
        return flags.contains("movablekeys") && !isExplained ? null : found;
    }

    /**
     * The keys as servers before redis 7 describe them. These count the last key from the command's
     * name.
     */
    private KeySpec @Nullable [] span() {
        if (first == 0) {
            return new KeySpec[0];
        }
        long reach = last < 0 ? last : last - first;
        boolean isRead =
                isWithin(first, 1, 255)
                        && isWithin(reach, last < 0 ? -128 : 0, 127)
                        && isWithin(step, 1, 255);
        return isRead
                ? new KeySpec[] {
                    new KeySpec(
                            KeyPositions.Kind.KEY,
                            Begin.at((int) first),
                            Reach.to((int) reach, (int) step, 1),
                            false)
                }
                : null;
    }

    private static KeySpec @Nullable [] read(Object specs) {
        if (!(specs instanceof List<?> list) || list.size() > Limits.LEARNT_SPECS_MAX) {
            return null;
        }
        KeySpec[] read = new KeySpec[list.size()];
        for (int i = 0; i < read.length; i++) {
            KeySpec spec = spec(pairs(list.get(i)));
            if (spec == null) {
                return null;
            }
            read[i] = spec;
        }
        return read;
    }

    private static @Nullable KeySpec spec(Map<String, @Nullable Object> whole) {
        List<String> flags = texts(whole.get("flags"));
        boolean isChannel = flags != null && flags.contains("not_key");
        Begin begin = begin(pairs(whole.get("begin_search")));
        Reach reach = reach(pairs(whole.get("find_keys")));
        return flags != null && flags.contains("incomplete") || begin == null || reach == null
                ? null
                : new KeySpec(
                        isChannel ? KeyPositions.Kind.CHANNEL : KeyPositions.Kind.KEY,
                        begin,
                        reach,
                        false);
    }

    private static @Nullable Begin begin(Map<String, @Nullable Object> search) {
        Map<String, @Nullable Object> inside = pairs(search.get("spec"));
        String type = text(search.get("type"));
        if ("index".equals(type) && isWithin(inside.get("index"), 1, 255)) {
            return Begin.at(number(inside.get("index")));
        }
        String word = text(inside.get("keyword"));
        return "keyword".equals(type)
                        && isWithin(inside.get("startfrom"), 1, 255)
                        && word != null
                        && isWithin((long) word.length(), 1, WORD_BYTES_MAX)
                ? Begin.after(word.toUpperCase(Locale.ROOT), number(inside.get("startfrom")))
                : null;
    }

    private static @Nullable Reach reach(Map<String, @Nullable Object> find) {
        Map<String, @Nullable Object> inside = pairs(find.get("spec"));
        String type = text(find.get("type"));
        if (!isWithin(inside.get("keystep"), 1, 255)) {
            return null;
        }
        int step = number(inside.get("keystep"));
        if ("range".equals(type)
                && isWithin(inside.get("lastkey"), -128, 127)
                && isWithin(inside.get("limit"), 0, 255)) {
            int limit = Math.max(1, number(inside.get("limit")));
            return Reach.to(number(inside.get("lastkey")), step, limit);
        }
        return "keynum".equals(type)
                        && isWithin(inside.get("keynumidx"), 0, 255)
                        && isWithin(inside.get("firstkey"), 0, 255)
                ? Reach.counted(
                        number(inside.get("keynumidx")), number(inside.get("firstkey")), step)
                : null;
    }

    private static boolean isWithin(@Nullable Object value, int least, int most) {
        return value instanceof Long number && least <= number && number <= most;
    }

    private static int number(@Nullable Object value) {
        return value instanceof Long number ? number.intValue() : 0;
    }
}
