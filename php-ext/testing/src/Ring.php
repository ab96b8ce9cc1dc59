<?php

namespace OneHop\Testing;

/**
 * Servers that share the keys and are not connected with each other.
 *
 * @internal
 */
final class Ring extends Fleet
{
    public function start(): void
    {
        for ($i = 0; $i < $this->masters; $i++) {
            $this->add('');
        }
    }
}
