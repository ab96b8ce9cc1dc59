<?php

namespace OneHop\Laravel;

/** Keys with the same tag, `{name}`, are on one node. */
final class HashTag
{
    /** Makes the name a tag, unless it has one. */
    public static function on(string $name): string
    {
        return preg_match('/\{[^}]+\}/', $name) ? $name : '{' . $name . '}';
    }
}
