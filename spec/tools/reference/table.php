<?php
/* commands.json read by PHP: the entry of a command and the places of its keys. It is the twin of
 * table.py and written independently, so the rules of route.md have two readers. In: the words of a
 * command as they went over the wire. Out: [kind, key] pairs. probe.php compares them with
 * phpredis.json and with the server. Spec: route.md, "Finding the entry" and "Finding the keys". */

declare(strict_types=1);

final class Table
{
    public readonly array $commands;

    public function __construct()
    {
        $page = json_decode(
            file_get_contents(__DIR__ . '/../../route/commands.json'),
            true,
            flags: JSON_THROW_ON_ERROR,
        );
        $this->commands = $page['commands'];
    }

    /** The entry of a command, null if the table does not hold it. */
    public function find(array $words): ?array
    {
        $entry = $this->commands[strtolower($words[0])] ?? null;
        if (($entry['container'] ?? false) && count($words) > 1) {
            $entry = $this->commands[strtolower("$words[0]|$words[1]")] ?? null;
        }
        return isset($entry['spread']) ? $entry : null;
    }

    /** [[kind, key], ...] of all keys, channels and patterns. */
    public function keys(array $words): array
    {
        $found = [];
        foreach ($this->find($words)['keys'] ?? [] as $spec) {
            foreach ($this->starts($spec, $words) as $begin) {
                foreach ($this->places($spec, $words, $begin) as $place) {
                    $found[] = [$spec['kind'], $words[$place]];
                }
            }
        }
        return array_values(
            array_filter($found, fn ($key) => $key[0] !== 'pattern' || str_contains($key[1], '*')),
        );
    }

    /** The timeout a blocking command carries, as its word, or null. */
    public function timeout(array $words): ?string
    {
        $place = $this->find($words)['blocking'] ?? null;
        if ($place === null) {
            return null;
        }
        if (isset($place['timeout'])) {
            return $words[
                $place['timeout'] < 0 ? count($words) + $place['timeout'] : $place['timeout']
            ];
        }
        for (
            $at = $place['from'];
            $at < count($words) && strtoupper($words[$at]) !== $place['until'];
            $at++
        ) {
            if (strtoupper($words[$at]) === $place['option']) {
                return $words[$at + 1];
            }
        }
        return null;
    }

    private function starts(array $spec, array $words): array
    {
        if (isset($spec['index'])) {
            return [$spec['index']];
        }
        $word = $spec['keyword'] ?? $spec['option'];
        $starts = [];
        for ($at = $spec['from']; $at < count($words); $at++) {
            $option = strtoupper($words[$at]);
            if ($option === $word) {
                $starts[] = $at + 1;
                if (isset($spec['keyword'])) {
                    break;
                }
                $at = $this->last($spec, $words, $at + 1);
            } else {
                $at += $spec['skip'][$option] ?? 0;
            }
        }
        return $starts;
    }

    private function last(array $spec, array $words, int $first): int
    {
        $beyond = intdiv(count($words) - $first, $spec['limit'] ?? 1);
        return $first + $spec['last'] + ($spec['last'] < 0 ? $beyond : 0);
    }

    private function places(array $spec, array $words, int $begin): array
    {
        $first = $begin + ($spec['first'] ?? 0);
        $last = isset($spec['keynum'])
            ? $first + ((int) $words[$begin + $spec['keynum']] - 1) * $spec['step']
            : $this->last($spec, $words, $begin);
        if ($last < $first || ($spec['unless_empty'] ?? false) && $words[$first] === '') {
            return [];
        }
        $places = [];
        for ($at = $first; $at <= $last; $at += $spec['step']) {
            $places[] = $at;
        }
        return $places;
    }
}
