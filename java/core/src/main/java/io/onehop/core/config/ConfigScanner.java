package io.onehop.core.config;

import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.ScannerException;
import org.snakeyaml.engine.v2.scanner.Scanner;
import org.snakeyaml.engine.v2.scanner.ScannerImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;
import org.snakeyaml.engine.v2.tokens.AliasToken;
import org.snakeyaml.engine.v2.tokens.AnchorToken;
import org.snakeyaml.engine.v2.tokens.DirectiveToken;
import org.snakeyaml.engine.v2.tokens.KeyToken;
import org.snakeyaml.engine.v2.tokens.ScalarToken;
import org.snakeyaml.engine.v2.tokens.Token;
import org.snakeyaml.engine.v2.tokens.ValueToken;

import java.util.Optional;

/**
 * SnakeYAML's scanner, changed so that it accepts exactly the texts that libyaml accepts, which is
 * the YAML reader of nutcracker.
 *
 * <p>The two readers differ about tabs. Between two tokens of a line, and anywhere in flow style,
 * libyaml accepts a tab like a space, but SnakeYAML does not. In block style a key may begin after
 * {@code -}, {@code ?} and a {@code :} without a key on its line, and libyaml accepts only spaces
 * there.
 *
 * <p>libyaml requires the {@code :} of {@code ? key}; SnakeYAML takes the next scalar for the
 * value. In libyaml the name of an anchor ends earlier, and no % line but {@code %YAML} and {@code
 * %TAG} is known. In flow style libyaml reads {@code ?} as an indicator even before a word, and
 * rejects {@code a:[}. All this was found by comparing both readers on millions of mutated
 * configurations. Implements spec/config, section 3.
 */
final class ConfigScanner implements Scanner {
    private final int[] characters;
    private final StreamReader reader;
    private final Scanner scanner;
    private @Nullable Token before;
    private boolean isKeySimple;
    private int flowLevel;

    ConfigScanner(LoadSettings settings, String text) {
        characters = text.codePoints().toArray();
        reader = new StreamReader(settings, text);
        scanner = new ScannerImpl(settings, reader);
    }

    @Override
    public Token next() {
        Token token = scanner.next();
        boolean areScalarsAdjacent = token instanceof ScalarToken && before instanceof ScalarToken;
        boolean isOddInFlow = flowLevel > 0 && isOddInFlow(token);
        if (areScalarsAdjacent || isOddInFlow || hasOddName(token)) {
            throw refusal(token.getStartMark());
        }
        if (token instanceof KeyToken) {
            // The token of a key without a question mark is inserted afterwards and has no extent.
            isKeySimple = index(token.getStartMark()) == index(token.getEndMark());
        }
        flowLevel +=
                switch (token.getTokenId()) {
                    case FlowSequenceStart, FlowMappingStart -> 1;
                    case FlowSequenceEnd, FlowMappingEnd -> -1;
                    default -> 0;
                };
        skipBlanks(token);
        before = token;
        return token;
    }

    /**
     * Skips the blanks after an indicator. This is possible because the scanner does not read
     * further before it is asked.
     */
    private void skipBlanks(Token token) {
        boolean isValueOfSimpleKey =
                token.getTokenId() == Token.ID.Value
                        && before instanceof ScalarToken
                        && isKeySimple;
        boolean isIndicator =
                token.getTokenId() == Token.ID.BlockEntry
                        || token.getTokenId() == Token.ID.Value
                        || token.getTokenId() == Token.ID.Key && !isKeySimple;
        if (!isIndicator || reader.getIndex() != index(token.getEndMark())) {
            return;
        }
        while (reader.peek() == ' ' || reader.peek() == '\t') {
            if (reader.peek() == '\t' && flowLevel == 0 && !isValueOfSimpleKey) {
                throw refusal(reader.getMark());
            }
            reader.forward();
        }
    }

    private boolean isOddInFlow(Token token) {
        if (token instanceof ScalarToken scalar && scalar.isPlain()) {
            return scalar.getValue().startsWith("?") || scalar.getValue().contains(":?");
        }
        return token instanceof ValueToken
                && before instanceof ScalarToken scalar
                && scalar.isPlain()
                && index(token.getEndMark()) < characters.length
                && ",[]{}".indexOf(characters[index(token.getEndMark())]) >= 0;
    }

    private static boolean hasOddName(Token token) {
        if (token instanceof DirectiveToken<?> directive) {
            return !directive.getName().equals(DirectiveToken.YAML_DIRECTIVE)
                    && !directive.getName().equals(DirectiveToken.TAG_DIRECTIVE);
        }
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
        boolean unused = hasNext(); // Called because it may throw.
        return scanner.peekToken();
    }

    @Override
    public boolean hasNext() {
        while (true) {
            try {
                return scanner.hasNext();
            } catch (ScannerException problem) {
                skipBlank(problem);
            }
        }
    }

    /**
     * The scanner stops before a tab, or before the space after it, and changes nothing. So this
     * blank can be skipped and the scanner asked again. Where a key may begin, {@link #skipBlanks}
     * has refused the tab before.
     */
    private void skipBlank(ScannerException problem) {
        boolean isBetweenTokens =
                String.valueOf(problem.getContext()).contains("next token")
                        && (reader.peek() == '\t' || reader.peek() == ' ');
        if (!isBetweenTokens) {
            throw problem;
        }
        reader.forward();
    }

    @Override
    public void resetDocumentIndex() {
        scanner.resetDocumentIndex();
    }
}
