package io.onehop.core.config;

import io.onehop.core.base.Limits;
import io.onehop.core.base.Message;
import io.onehop.core.topology.DirectiveValue.Fault;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * The password in the file that {@code redis_auth_file} names: its first line.
 *
 * <p>In: the content of the file, at most one byte more than such a file may have. Out: the
 * password, or a reason that shows nothing of the content. Implements spec/config, section 9.
 */
public final class PasswordFile {
    private PasswordFile() {}

    /** The password. */
    public static String passwordIn(byte[] content) throws Fault {
        if (content.length > Limits.PASSWORD_FILE_BYTES_MAX) {
            throw new Fault(Message.PASSWORD_FILE_LARGE.what(Limits.PASSWORD_FILE_BYTES_MAX));
        }
        int length = lengthOfLine(content);
        if (length == 0) {
            throw new Fault(Message.PASSWORD_EMPTY.what());
        }
        if (length > Limits.TEXT_BYTES_MAX) {
            throw new Fault(Message.PASSWORD_LONG.what(Limits.TEXT_BYTES_MAX));
        }
        try {
            // A new decoder reports malformed input.
            String password =
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(content, 0, length))
                            .toString();
            if (password.codePoints().allMatch(Variables::isAllowed)) {
                return password;
            }
        } catch (CharacterCodingException noText) {
            // The reason is the same as for a character that is not allowed.
        }
        throw new Fault(Message.PASSWORD_CHARACTER.what());
    }

    private static int lengthOfLine(byte[] content) {
        int end = 0;
        while (end < content.length && content[end] != '\n') {
            end++;
        }
        boolean hasReturn = end < content.length && end > 0 && content[end - 1] == '\r';
        return hasReturn ? end - 1 : end;
    }
}
