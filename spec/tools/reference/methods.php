<?php
/* phpredis.json read by PHP: what a method of class Redis sends, and which of its arguments are
 * keys. In: a method's name and the arguments of a call. Out: its entry, with aliases and versions
 * resolved, and [kind, key] pairs as the server will see them. It is the reference for the C table
 * of OneHop\Redis. Spec: route.md, "phpredis' methods". */

declare(strict_types=1);

final class Methods
{
    public readonly array $all;
    private array $byName = [];

    public function __construct(private readonly string $version)
    {
        $page = json_decode(
            file_get_contents(__DIR__ . '/../../route/phpredis.json'),
            true,
            flags: JSON_THROW_ON_ERROR,
        );
        if (!in_array($version, $page['versions'], true)) {
            $known = implode(' and ', $page['versions']);
            throw new RuntimeException("phpredis.json knows phpredis $known, not $version.");
        }
        $here = fn ($entry) => in_array($version, $entry['versions'] ?? [$version], true);
        $this->all = array_filter($page['methods'], $here);
        foreach ($this->all as $name => $entry) {
            $this->byName[strtolower($name)] = $entry;
        }
    }

    /** The entry for this version, with aliases resolved. */
    public function find(string $name): array
    {
        $entry = $this->byName[strtolower($name)]
            ?? throw new RuntimeException("phpredis.json has no method $name.");
        $entry = $entry['in'][$this->version] ?? $entry;
        return isset($entry['alias']) ? $this->find($entry['alias']) : $entry;
    }

    /** [[kind, key], ...]: the arguments that will be keys in the command, with the prefix. */
    public function keys(array $entry, array $arguments, string $prefix): array
    {
        $found = [];
        foreach ($entry['keys'] ?? [] as $place) {
            $kind = $place['kind'] ?? 'key';
            foreach ($this->values($place, $arguments) as $value) {
                if ($kind !== 'pattern' || str_contains((string) $value, '*')) {
                    $found[] = [$kind, (($place['prefix'] ?? true) ? $prefix : '') . $value];
                }
            }
        }
        return $found;
    }

    /** The arguments, or parts of arguments, at one place. */
    private function values(array $place, array $arguments): array
    {
        $at = $place['argument'];
        $argument = $arguments[$at] ?? null;
        $rest = array_slice($arguments, $at, isset($place['last']) ? $place['last'] + 1 : null);
        return match ($place['form'] ?? 'value') {
            'value' => $argument === null ? [] : [$argument],
            'values' => is_array($argument) ? $argument : [],
            'names' => array_keys($argument),
            'rest' => $rest,
            'value_or_values' => $argument === null ? [] : (array) $argument,
            'values_or_rest' => is_array($argument) ? $argument : $rest,
            'counted' => array_slice($argument ?? [], 0, $arguments[$place['count']] ?? 0),
            'option' => $this->options($place['names'], $argument ?? []),
        };
    }

    /** Options have names in any case, and are a string or an array of strings. */
    private function options(array $names, array $argument): array
    {
        $found = [];
        foreach ($argument as $name => $value) {
            if (is_string($name) && in_array(strtolower($name), $names, true)) {
                array_push($found, ...array_values((array) $value));
            }
        }
        return $found;
    }
}
