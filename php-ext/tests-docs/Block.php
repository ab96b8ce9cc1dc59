<?php

/*
 * The blocks of code in the documentation: everything between ``` and ``` in README.md and
 * docs/*.md. A block is known by its page, its heading, its language and its number among such
 * blocks, so that text above it may change.
 */

final class Block
{
    private function __construct(
        public readonly string $name,
        public readonly string $language,
        public readonly string $text,
        /** Its text is a function of the source: conformance/checks/quotations.py compares them. */
        public readonly bool $isQuotation,
    ) {
    }

    /** @return array<string, Block> All blocks that name a language, by their names. */
    public static function all(): array
    {
        $root = dirname(__DIR__, 2);
        $blocks = [];
        foreach (["$root/README.md", ...glob("$root/docs/*.md")] as $file) {
            $blocks += self::of(substr($file, strlen($root) + 1), file_get_contents($file));
        }
        return $blocks;
    }

    private static function of(string $page, string $markdown): array
    {
        $found = preg_match_all(
            '/^#+ (?<heading>[^\n]+)$|^(?:<!-- from (?<source>[^\n]+) -->\n)?'
                . '(?<indent> *)```(?<language>\w*)\n(?<text>.*?)^ *```$/ms',
            $markdown,
            $matches,
            PREG_SET_ORDER | PREG_UNMATCHED_AS_NULL,
        );
        $heading = '';
        $blocks = $counts = [];
        foreach ($found ? $matches : [] as $match) {
            $heading = $match['heading'] ?? $heading;
            $language = $match['language'] ?? '';
            if ($language === '' || $language === 'text') {
                continue; // A heading, a picture or the output of a program.
            }
            $kind = "$page, $heading, $language";
            $counts[$kind] = ($counts[$kind] ?? 0) + 1;
            $name = "$kind $counts[$kind]";
            $text = preg_replace("/^$match[indent]/m", '', $match['text']);
            $blocks[$name] = new self($name, $language, $text, $match['source'] !== null);
        }
        return $blocks;
    }
}
