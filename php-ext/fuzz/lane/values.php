<?php

/*
 * Arguments of every type of PHP, and how they are printed. Values that the sides must not
 * share (references, arrays with holes) are described by an object that makes them.
 */

/** Describes a value that each side makes for itself. */
interface Described
{
    public function make(): mixed;
}

/** An element of an array that is a reference. */
final class Reference implements Described
{
    public function __construct(public mixed $value)
    {
    }

    public function make(): mixed
    {
        return made($this->value);
    }
}

/** A list whose first element has been removed. */
final class Holed implements Described
{
    public function __construct(public array $values)
    {
    }

    public function make(): mixed
    {
        $array = made($this->values);
        array_unshift($array, 'removed');
        unset($array[0]);
        return $array;
    }
}

final class Text
{
    public static int $conversions = 0;

    public function __construct(public string $text)
    {
    }

    public function __toString(): string
    {
        self::$conversions++;
        return $this->text;
    }
}

/** Calls the client while the client converts it. */
final class Caller
{
    public static ?Redis $redis = null;

    public function __toString(): string
    {
        self::$redis->incr('called');
        return 'text of a caller';
    }
}

final class NoText
{
    public int $value = 1;
}

final class Thrower
{
    public function __toString(): string
    {
        throw new DomainException('from __toString');
    }
}

enum Suit: string
{
    case Hearts = 'H';
}

enum Bare
{
    case One;
}

function made(mixed $value): mixed
{
    if ($value instanceof Described) {
        return $value->make();
    }
    if (!is_array($value)) {
        return $value;
    }
    $made = [];
    foreach ($value as $key => $element) {
        if ($element instanceof Reference) {
            $referenced = $element->make();
            $made[$key] = &$referenced;
            unset($referenced);
        } else {
            $made[$key] = is_array($element) || $element instanceof Described
                ? made($element) : $element;
        }
    }
    return $made;
}

/** PHP code of a description. */
function written(mixed $value): string
{
    return match (true) {
        is_string($value) => written_string($value),
        is_array($value) => written_array($value),
        $value instanceof Reference => 'new Reference(' . written($value->value) . ')',
        $value instanceof Holed => 'new Holed(' . written($value->values) . ')',
        $value instanceof Text => 'new Text(' . written($value->text) . ')',
        $value instanceof UnitEnum => $value::class . '::' . $value->name,
        is_object($value) => 'new ' . $value::class,
        is_resource($value) => 'STDIN',
        $value === PHP_INT_MIN => 'PHP_INT_MIN',
        is_float($value) && is_nan($value) => 'NAN',
        is_float($value) && is_infinite($value) => $value > 0 ? 'INF' : '-INF',
        default => var_export($value, true),
    };
}

function written_string(string $value): string
{
    if (strlen($value) > 200 && $value === str_repeat($value[0], strlen($value))) {
        return 'str_repeat(' . written_string($value[0]) . ', ' . strlen($value) . ')';
    }
    $escaped = preg_replace_callback(
        '/[^ !#-#%-\[\]-~]/',
        fn ($match) => sprintf('\x%02x', ord($match[0])),
        $value,
    );
    return "\"$escaped\"";
}

function written_array(array $value): string
{
    $elements = [];
    foreach ($value as $key => $element) {
        $elements[] = (array_is_list($value) ? '' : written($key) . ' => ') . written($element);
    }
    return '[' . implode(', ', $elements) . ']';
}

/* ---- Chance ---- */

function chance(int $thousandths): bool
{
    return mt_rand(0, 999) < $thousandths;
}

function one_of(array $values): mixed
{
    return $values[mt_rand(0, count($values) - 1)];
}

const KEYS = [
    'k', 'key:1', 'key:2', 'key:123456', '0', '1', '12', '012', '-5', ' 5', "\0", "bin\r\n\xff",
    'a{tag}b', '{}', 'aaaaaaaa', 'aaaaaaaaaaaaaaaa', 'aaaaaaaaaaaaaaaaa',
];
const NAMES = ['f', 'g', '', '0', '1', '-1', '01', "\0", 7, -3, 'field', 'name'];
const TEXTS = [
    'v', 'value', '', '0', '1', '-1', '12', '1.5', 'abc', "\0\r\n", 'true', '12345678',
    '1234567890123456', '12345678901234567', '1e3', ' 7', '7 ', '9223372036854775808', 'inf', '(1',
    '[a', '+', '-', 'NX', 'ex',
];
const INTEGERS = [
    0, 1, 2, 5, 7, 9, 10, 11, 99, 100, 101, 999, 1000, 12345, -1, -2, -10, -100, PHP_INT_MAX,
    PHP_INT_MIN, PHP_INT_MIN + 1, 1000000000000000, 1000000000000001, -1000000000000000,
    -1000000000000001, 9999999999999999, 4294967295, 4294967296, 2147483647, 2147483648,
    -2147483648, -2147483649,
];
const DOUBLES = [
    0.0, -0.0, 1.0, 1.5, -2.25, 0.1 + 0.2, 1e15, 1e16, 1e100, 1e-7, 3.0, NAN, INF, -INF, 1e22,
];

function any_key(): string
{
    return match (mt_rand(0, 399)) {
        0 => str_repeat('L', mt_rand(100, 70000)),
        1 => '',
        2, 3, 4, 5, 6, 7 => 'key:' . mt_rand(0, 99999),
        default => one_of(KEYS),
    };
}

function any_text(): string
{
    return match (mt_rand(0, 1199)) {
        0 => str_repeat('H', 300000),
        1 => str_repeat('M', mt_rand(1000, 20000)),
        2 => mt_rand(0, 9) ? 'm' : str_repeat('G', 1200000),
        default => one_of(TEXTS),
    };
}

function any_value(): mixed
{
    return chance(300) ? one_of(INTEGERS) : any_text();
}

function any_object(): object
{
    return match (mt_rand(0, 8)) {
        0, 1, 2 => new Text(one_of(TEXTS)),
        3 => new NoText(),
        4 => new Thrower(),
        5 => Suit::Hearts,
        6 => Bare::One,
        7 => new ArrayObject(),
        8 => new Caller(),
    };
}

function any_array(int $depth = 0): mixed
{
    $count = one_of([0, 1, 1, 2, 3, 5]);
    $array = [];
    $make = fn () => chance(150) ? anything($depth + 1) : any_value();
    for ($i = 0; $i < $count; $i++) {
        $element = $make();
        $element = chance(40) ? new Reference($element) : $element;
        if (chance(500)) {
            $array[] = $element;
        } else {
            $array[one_of(NAMES)] = $element;
        }
    }
    return chance(30) ? new Holed(array_values($array)) : $array;
}

function anything(int $depth = 0): mixed
{
    return match (mt_rand(0, $depth > 2 ? 7 : 11)) {
        0 => null,
        1 => chance(500),
        2 => one_of(INTEGERS),
        3 => one_of(DOUBLES),
        4 => any_text(),
        5 => one_of(['12', '-7', '1.5', ' 3', '3 ', '0x1A', 'abc', '']),
        6 => any_key(),
        7 => any_object(),
        8, 9, 10 => any_array($depth),
        11 => chance(100) ? STDIN : new Reference(any_value()),
    };
}
