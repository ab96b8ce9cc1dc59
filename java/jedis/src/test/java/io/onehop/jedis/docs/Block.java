package io.onehop.jedis.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A block of code in the documentation: what is between ``` and ``` in README.md and docs/*.md.
 *
 * @param section its page and its heading
 * @param number among the blocks of its section and language
 * @param isQuotation whether it is a function of the source; conformance/checks/quotations.py
 *     compares these
 */
record Block(String section, String language, int number, String text, boolean isQuotation) {
    private static final Pattern HEADING_OR_BLOCK =
            Pattern.compile(
                    "^#+ (?<heading>[^\n]+)$|^(?:<!-- from (?<source>[^\n]+) -->\n)?"
                            + "(?<indent> *)```(?<language>\\w*)\n(?<text>.*?)^ *```$",
                    Pattern.MULTILINE | Pattern.DOTALL);

    /** All blocks, page by page. */
    static List<Block> all() {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.exists(root.resolve("docs/README.md"))) {
            root = root.getParent();
        }
        List<Block> blocks = new ArrayList<>(of("README.md", root));
        try (Stream<Path> files = Files.list(root.resolve("docs"))) {
            for (Path file : files.sorted().toList()) {
                if (file.toString().endsWith(".md")) {
                    blocks.addAll(of("docs/" + file.getFileName(), root));
                }
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return blocks;
    }

    private static List<Block> of(String page, Path root) {
        List<Block> blocks = new ArrayList<>();
        Map<String, Integer> counts = new HashMap<>();
        String heading = "";
        Matcher match;
        try {
            match = HEADING_OR_BLOCK.matcher(Files.readString(root.resolve(page)));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        while (match.find()) {
            if (match.group("heading") != null) {
                heading = match.group("heading");
                continue;
            }
            String section = page + ", " + heading;
            String language = match.group("language");
            String text = match.group("text").replaceAll("(?m)^" + match.group("indent"), "");
            int number = counts.merge(section + language, 1, Integer::sum);
            boolean isQuotation = match.group("source") != null;
            blocks.add(new Block(section, language, number, text, isQuotation));
        }
        return blocks;
    }

    String name() {
        return section + ", " + language + " " + number;
    }
}
