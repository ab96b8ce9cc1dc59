import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.regex.Pattern;

/** What the programs in Java have in common: keys, and the pattern of a tag. */
class Keys {
    /** Reads the number of keys, then each key in hex. */
    static List<byte[]> read(Scanner in) {
        int count = Integer.parseInt(in.next());
        List<byte[]> keys = new ArrayList<>();
        while (keys.size() < count) {
            String hex = in.next();
            byte[] key = new byte[hex.length() / 2];
            for (int i = 0; i < key.length; i++) {
                key[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
            }
            keys.add(key);
        }
        return keys;
    }

    /** The key as a text, which most programs need; null if its bytes are not UTF-8. */
    static String text(byte[] key) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(key)).toString();
        } catch (CharacterCodingException bytes) {
            return null;
        }
    }

    static Pattern pattern(String tag) {
        return tag.equals("-")
                ? null
                : Pattern.compile(
                        Pattern.quote(tag.substring(0, 1))
                                + "(.+?)"
                                + Pattern.quote(tag.substring(1)));
    }
}
