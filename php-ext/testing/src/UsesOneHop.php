<?php

namespace OneHop\Testing;

use PHPUnit\Framework\Attributes\AfterClass;
use PHPUnit\Framework\Attributes\Before;

/**
 * For a test case of PHPUnit: servers that start before its first test and stop after its last one.
 * Before each test all of them run and are empty.
 */
trait UsesOneHop
{
    private static ?OneHopServers $oneHopServers = null;

    /** Which servers the tests of this class need, such as OneHopServers::ring(3). */
    abstract protected static function startServers(): OneHopServers;

    protected static function servers(): OneHopServers
    {
        return self::$oneHopServers ??= static::startServers();
    }

    /** @before */
    #[Before]
    protected function resetServers(): void
    {
        self::servers()->reset();
    }

    /** @afterClass */
    #[AfterClass]
    public static function closeServers(): void
    {
        self::$oneHopServers?->close();
        self::$oneHopServers = null;
    }
}
