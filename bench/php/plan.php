<?php
/*
 * The plan of a worker: contestants, keys and their nodes. bench/workers.py describes its lines.
 */
declare(strict_types=1);

final class Plan
{
    public int $size = 0;
    /** Seconds for connecting and for an answer. */
    public float $timeout = 5.0;
    /** @var array<string, string[]> Name to kind and words. */
    public array $contestants = [];
    /** @var array<string, int> Key to index of its node. */
    public array $nodeOf = [];
    /** @var string[] The keys of hashes. */
    public array $hashes = [];
    /** @var string[] The keys of strings. */
    public array $strings = [];

    public function __construct(string $path)
    {
        foreach (file($path, FILE_IGNORE_NEW_LINES) as $line) {
            $words = explode(' ', $line);
            match (array_shift($words)) {
                'batch' => $this->size = (int) $words[0],
                'timeout' => $this->timeout = $words[0] / 1000,
                'contestant' => $this->contestants[$words[0]] = array_slice($words, 1),
                'key' => $this->add($this->hashes, $words),
                'string' => $this->add($this->strings, $words),
            };
        }
    }

    private function add(array &$keys, array $words): void
    {
        $keys[] = $words[0];
        $this->nodeOf[$words[0]] = (int) $words[1];
    }
}
