<?php

namespace OneHop\Testing;

/**
 * Waits for changes that servers make by themselves.
 *
 * @internal
 */
final class Waiting
{
    private const EACH_US = 5000;
    private const MOST = 12000; // A minute.

    /** Returns as soon as the condition is true; throws after a minute. */
    public static function until(string $what, callable $condition): void
    {
        for ($tries = 0; !$condition(); $tries++) {
            if ($tries === self::MOST) {
                throw new \RuntimeException("for a minute it was not true that $what");
            }
            usleep(self::EACH_US);
        }
    }
}
