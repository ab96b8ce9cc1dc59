<?php
/*
 * A worker that lives long, with a client of each file. For each line of its input it uses all of
 * them and answers a line of JSON: where the client found the key `where`, what it wrote to
 * `written`, and what the process holds. An exception ends it.
 */
declare(strict_types=1);

$clients = array_map(
    static fn (string $path) => new OneHop\Redis('alpha', $path),
    array_slice($argv, 1),
);
for ($number = 1; fgets(STDIN) !== false; $number++) {
    $where = $written = [];
    foreach ($clients as $file => $redis) {
        $redis->set("written:$file", $written[] = "$file=$number");
        $where[] = $redis->get('where');
    }
    gc_collect_cycles();
    echo json_encode([
        'where' => $where,
        'written' => $written,
        'memory' => (int) explode(' ', file_get_contents('/proc/self/statm'))[1] * 4096,
        'descriptors' => count(scandir('/proc/self/fd')),
    ]), "\n";
}
