package io.onehop.core.config;

import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.ScannerException;
import org.snakeyaml.engine.v2.scanner.Scanner;
import org.snakeyaml.engine.v2.scanner.ScannerImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;
import org.snakeyaml.engine.v2.tokens.AliasToken;
import org.snakeyaml.engine.v2.tokens.AnchorToken;
import org.snakeyaml.engine.v2.tokens.KeyToken;
import org.snakeyaml.engine.v2.tokens.Token;

import java.util.Optional;

/**
 * SnakeYAML's scanner, changed so that it accepts exactly what libyaml accepts, nutcracker's
 * reader.
 *
 * <p>They differ about tabs. After the {@code :} of a key on the same line, and after a closing
 * quote, libyaml accepts a tab like a space, but SnakeYAML does not. After {@code -}, {@code ?} and
 * any other {@code :} a key may begin, and libyaml accepts only spaces. libyaml requires the {@code
 * :} of {@code ? key}; SnakeYAML takes the next scalar for the value. And in libyaml the name of an
 * anchor ends earlier. All this was found by comparing both readers on millions of mutated
 * configurations. Implements spec/config, section 3.
 */
final class ConfigScanner implements Scanner {
    private final int[] characters;
    private final StreamReader reader;
    private final Scanner scanner;
    private Token.ID before = Token.ID.StreamStart;
    private boolean isKeySimple;

    ConfigScanner(LoadSettings settings, String text) {
        characters = text.codePoints().toArray();
        reader = new StreamReader(settings, text);
        scanner = new ScannerImpl(settings, reader);
    }

    @Override
    public Token next() {
        Token token = scanner.next();
        if (token.getTokenId() == Token.ID.Scalar && before == Token.ID.Scalar
                || hasOddName(token)) {
            throw refusal(token.getStartMark());
        }
        if (token instanceof KeyToken) {
            // The token of a key without a question mark is inserted afterwards and has no extent.
            isKeySimple = index(token.getStartMark()) == index(token.getEndMark());
        }
        skipBlanks(token);
        before = token.getTokenId();
        return token;
    }

    /**
     * Takes the blanks after an indicator. The scanner does not read further before it is asked.
     */
    private void skipBlanks(Token token) {
        boolean isValueOfSimpleKey =
                token.getTokenId() == Token.ID.Value && before == Token.ID.Scalar && isKeySimple;
        boolean isIndicator =
                token.getTokenId() == Token.ID.BlockEntry
                        || token.getTokenId() == Token.ID.Value
                        || token.getTokenId() == Token.ID.Key && !isKeySimple;
        if (!isIndicator || reader.getIndex() != index(token.getEndMark())) {
            return;
        }
        while (reader.peek() == ' ' || reader.peek() == '\t') {
            if (reader.peek() == '\t' && !isValueOfSimpleKey) {
                throw refusal(reader.getMark());
            }
            reader.forward();
        }
    }

    private static boolean hasOddName(Token token) {
        String name =
                token instanceof AnchorToken anchor
                        ? anchor.getValue().getValue()
                        : token instanceof AliasToken alias ? alias.getValue().getValue() : "";
        return !name.chars()
                .allMatch(c -> c == '_' || c == '-' || c < 0x80 && Character.isLetterOrDigit(c));
    }

    private static int index(Optional<Mark> mark) {
        return mark.orElseThrow().getIndex();
    }

    private static ScannerException refusal(Optional<Mark> mark) {
        return new ScannerException(
                "while reading a configuration", Optional.empty(), "not YAML to libyaml", mark);
    }

    @Override
    public boolean checkToken(Token.ID... choices) {
        return hasNext() && scanner.checkToken(choices);
    }

    @Override
    public Token peekToken() {
        boolean unused = hasNext(); // Called for what it refuses.
        return scanner.peekToken();
    }

    @Override
    public boolean hasNext() {
        while (true) {
            try {
                return scanner.hasNext();
            } catch (ScannerException problem) {
                skipTabBehindQuote(problem);
            }
        }
    }

    /**
     * The scanner stops before the tab and changes nothing. So the tab can be skipped and the
     * scanner asked again.
     */
    private void skipTabBehindQuote(ScannerException problem) {
        int at = reader.getIndex();
        boolean isBetweenTokens =
                String.valueOf(problem.getContext()).contains("next token")
                        && reader.peek() == '\t';
        do {
            at--;
        } while (at >= 0 && (characters[at] == ' ' || characters[at] == '\t'));
        if (!isBetweenTokens || at < 0 || characters[at] != '"' && characters[at] != '\'') {
            throw problem;
        }
        reader.forward();
    }

    @Override
    public void resetDocumentIndex() {
        scanner.resetDocumentIndex();
    }
}
