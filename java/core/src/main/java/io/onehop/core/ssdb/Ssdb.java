package io.onehop.core.ssdb;

import io.onehop.core.command.CommandWords;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Translates redis' commands for a node with {@code engine: ssdb}, and the replies of that node
 * back.
 *
 * <p>SSDB speaks redis' protocol but means other things by it, usually without an error. So only
 * commands that match a form of spec/route/ssdb.json are sent. In: the words of a command. Out: a
 * {@link Translation}, or the reason of a refusal. Pure, for any thread. Implements
 * spec/route/route.md, "SSDB".
 */
public final class Ssdb {
    /**
     * The result of {@link Translation#shape} for replies that SSDB does not give to such a
     * command.
     */
    public static final Object STRANGE = new Object();

    private record Name(@Nullable String reason, List<SsdbForm> forms) {}

    private static final Map<String, Name> NAMES = new HashMap<>();
    private static final byte[] OK = SsdbWord.bytes("OK");

    static {
        for (int i = 0; i < SsdbTable.NAMES.length; i += 3) {
            String rows = SsdbTable.NAMES[i + 2];
            List<SsdbForm> forms =
                    rows.isEmpty()
                            ? List.of()
                            : Arrays.stream(rows.split("\\|")).map(SsdbForm::new).toList();
            NAMES.put(SsdbTable.NAMES[i], new Name(SsdbTable.NAMES[i + 1], forms));
        }
    }

    private Ssdb() {}

    /**
     * A command as it is sent to SSDB.
     *
     * @param refusal why nothing may be sent, or {@code null}
     * @param commands what to send, each as its words; {@code null}: the command as it is
     */
    public record Translation(
            @Nullable String refusal, @Nullable List<byte[][]> commands, @Nullable Shape shape) {
        private static final Translation AS_IT_IS = new Translation(null, null, null);

        static Translation refused(String reason) {
            return new Translation(reason, null, null);
        }
    }

    /** How the replies to the sent commands become the reply to the original one. */
    public static final class Shape {
        private final SsdbForm form;

        Shape(SsdbForm form) {
            this.form = form;
        }

        /**
         * The one reply. Numbers are Long, texts byte[], lists List, nil is null, and an Exception
         * is an error. {@link #STRANGE} for replies that SSDB never gives.
         */
        public @Nullable Object of(List<Object> replies) {
            if (replies.isEmpty()) {
                return form.empty();
            }
            if (form.reply.equals("count_any")) {
                return counted(replies);
            }
            Object reply = replies.get(0);
            if (reply instanceof Exception) {
                return reply;
            }
            return switch (form.reply) {
                case "ok_or_nil" -> okOrNil(reply);
                case "number" ->
                        reply instanceof List<?> list && list.isEmpty() ? STRANGE : number(reply);
                case "list_or_nil" ->
                        reply == null
                                ? null
                                : !(reply instanceof List<?> list)
                                        ? STRANGE
                                        : list.isEmpty() ? null : list;
                default -> reply;
            };
        }

        private static @Nullable Object okOrNil(@Nullable Object reply) {
            return !(reply instanceof Long number) || number != 0 && number != 1
                    ? STRANGE
                    : number == 1 ? OK : null;
        }

        private Object counted(List<Object> replies) {
            long total = 0;
            boolean isThere = false;
            for (int i = 0; i < replies.size(); i++) {
                Object number =
                        replies.get(i) instanceof Exception
                                ? replies.get(i)
                                : number(replies.get(i));
                if (!(number instanceof Long count)) {
                    return number;
                }
                isThere |= form.counts(i) && count > 0;
                if (form.endsKey(i)) {
                    total += isThere ? 1 : 0;
                    isThere = false;
                }
            }
            return total;
        }

        /** The number, or the one element of a list as a number; an empty list is 0. */
        private static Object number(@Nullable Object reply) {
            if (reply instanceof List<?> list && list.size() <= 1) {
                return list.isEmpty()
                        ? (Object) 0L
                        : list.get(0) instanceof byte[] digits ? parsed(digits) : STRANGE;
            }
            return reply instanceof Long ? reply : STRANGE;
        }

        private static Object parsed(byte[] digits) {
            return SsdbWord.fits('i', digits)
                    ? Long.valueOf(new String(digits, StandardCharsets.ISO_8859_1))
                    : STRANGE;
        }
    }

    /**
     * {@code isRaw}: the caller itself wrote the words, so it can interpret replies that redis
     * would not give.
     */
    @SuppressWarnings("exports") // CommandWords is only for the clients, and so is this.
    public static Translation translate(CommandWords words, boolean isRaw) {
        Name name =
                NAMES.get(
                        new String(words.word(0), StandardCharsets.ISO_8859_1)
                                .toLowerCase(Locale.ROOT));
        if (name == null) {
            return Translation.refused("SSDB has no such command.");
        }
        String reason = name.reason;
        if (reason == null) {
            return Translation.AS_IT_IS;
        }
        for (SsdbForm form : name.forms) {
            if ((isRaw || !form.isRaw) && form.matches(words)) {
                return new Translation(null, form.sent(words), new Shape(form));
            }
        }
        return Translation.refused(closerReason(name, words, reason));
    }

    private static String closerReason(Name name, CommandWords words, String otherwise) {
        for (SsdbForm form : name.forms) {
            String reason = form.lengthReason(words);
            if (reason != null) {
                return reason;
            }
        }
        return otherwise;
    }
}
