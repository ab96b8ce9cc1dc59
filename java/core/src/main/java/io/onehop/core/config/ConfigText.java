package io.onehop.core.config;

import io.onehop.core.base.Limits;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * The first pass over a configuration. In: bytes. Out: characters, or the first byte or character
 * that is not allowed.
 *
 * <p>This pass is strict, because the two YAML readers differ about encodings and about characters
 * that end a line. So both readers get only texts on which they agree. Implements spec/config,
 * section 2.
 */
final class ConfigText {
    private static final char BYTE_ORDER_MARK = '\ufeff';

    private ConfigText() {}

    /** The characters of the text, without a leading byte order mark. */
    static String of(byte[] bytes) throws ConfigException {
        if (bytes.length > Limits.CONFIG_BYTES_MAX) {
            throw new ConfigException(
                    1, "the file is larger than " + Limits.CONFIG_BYTES_MAX + " bytes");
        }
        CharBuffer characters = CharBuffer.allocate(bytes.length);
        CoderResult result =
                StandardCharsets.UTF_8
                        .newDecoder()
                        .onMalformedInput(CodingErrorAction.REPORT)
                        .decode(ByteBuffer.wrap(bytes), characters, true);
        String text = characters.flip().toString();
        if (!text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK) {
            text = text.substring(1);
        }
        checkCharacters(text);
        if (result.isError()) {
            throw new ConfigException(lineAt(text, text.length()), "the text is not valid UTF-8");
        }
        return text;
    }

    private static void checkCharacters(String text) throws ConfigException {
        boolean isIndentation = true;
        for (int at = 0; at < text.length(); at += Character.charCount(text.codePointAt(at))) {
            int character = text.codePointAt(at);
            if (!isAllowed(character)) {
                throw new ConfigException(lineAt(text, at), notAllowed(character));
            }
            if (character == '\t' && isIndentation) {
                throw new ConfigException(
                        lineAt(text, at), "a TAB stands where only spaces may indent");
            }
            isIndentation =
                    character == '\n' || character == '\r' || character == ' ' && isIndentation;
        }
    }

    static String notAllowed(int character) {
        return String.format("character U+%04X is not allowed", character);
    }

    static boolean isAllowed(int character) {
        if (character < 0x7f) {
            return character >= ' ' || character == '\t' || character == '\n' || character == '\r';
        }
        boolean isSurrogate =
                character >= Character.MIN_SURROGATE && character <= Character.MAX_SURROGATE;
        return character >= 0xa0
                && character != 0x2028
                && character != 0x2029
                && !isSurrogate
                && character != BYTE_ORDER_MARK
                && character != 0xfffe
                && character != 0xffff;
    }

    /** The line, from 1, of a position. CR LF, LF and CR each end a line. */
    static int lineAt(String text, int position) {
        int line = 1;
        for (int i = 0; i < position; i++) {
            boolean isHalfOfPair =
                    text.charAt(i) == '\r' && i + 1 < text.length() && text.charAt(i + 1) == '\n';
            if (text.charAt(i) == '\n' || text.charAt(i) == '\r' && !isHalfOfPair) {
                line++;
            }
        }
        return line;
    }
}
