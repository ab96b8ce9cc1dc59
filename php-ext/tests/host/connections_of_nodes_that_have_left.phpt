--TEST--
Connections of a changed or removed node are closed; its entry is reused, and its counters go on
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

const CHANGES = 5;
$ports = [lab_redis('--requirepass', 'secret-0'), lab_redis('--requirepass', 'secret-0')];
$nodes = array_map(static function (int $port) {
    $node = lab_plain($port);
    $node->auth('secret-0');
    return $node;
}, $ports);
$write = static fn (array $ports, array $directives)
    => lab_config($ports, $directives + ['pool_size' => 4], 'live.yml');
$config = $write($ports, ['redis_auth' => 'secret-0']);
/* There are two nodes at a time, so four entries are enough for a change. */
$page = lab_fpm([], 3, ['sh', '-c', 'exec "$0" "$@" -d onehop.max_nodes=4']);
$script = <<<'PHP'
<?php
$redis = new OneHop\Redis('alpha', $_GET['config']);
for ($i = 0; $i < 30; $i++) {
    $redis->get(md5("$i"));
}
echo implode(' ', array_column(OneHop\Topology::status()[0]['nodes'], 'calls')), "\n";
PHP;
$load = static fn () => $page($script, ['config' => $config], 4);
$ids = static fn (Redis $node): array => array_diff(array_column($node->client('list'), 'id'), [
    (int) $node->rawCommand('CLIENT', 'ID'),
]);

/* True if, under load, all present connections of a node are closed soon. */
$are_gone = static function (Redis $node) use ($load, $ids): bool {
    for (
        $before = $ids($node),
        $end = microtime(true) + 60;
        ($left = array_intersect($before, $ids($node))) && microtime(true) < $end;
        usleep(100000)
    ) {
        $load();
    }
    return $before && !$left;
};

echo "another password, several times\n";
$load();
for ($i = 1; $i <= CHANGES; $i++) {
    foreach ($nodes as $node) {
        $node->rawCommand('ACL', 'SETUSER', 'default', ">secret-$i");
    }
    $write($ports, ['redis_auth' => "secret-$i"]);
    $gone[] = $are_gone($nodes[0]);
}
echo 'old connections are closed: ', var_export(array_unique($gone) === [true], true), "\n";

echo "another pool_size\n";
$password = ['redis_auth' => 'secret-' . CHANGES];
$write($ports, $password + ['pool_size' => 3]);
echo 'old connections are closed: ', var_export($are_gone($nodes[0]), true), "\n";

echo "still shared\n";
$accepted = lab_accepted($nodes[0]);
$before = $ids($nodes[0]);
for ($i = 0; $i < 20; $i++) {
    $load();
}
$after = $ids($nodes[0]);
echo 'at most pool_size: ', var_export(count($after) <= 3, true), ', closed: ',
    count(array_diff($before, $after)), ', opened and closed: ',
    lab_accepted($nodes[0]) - $accepted - count(array_diff($after, $before)), "\n";

echo "a server that was taken out\n";
[$calls, $other] = array_map(intval(...), explode(' ', $load()[3]));
$write([$ports[0]], $password + ['pool_size' => 3]);
echo 'its connections are closed: ', var_export($are_gone($nodes[1]), true), "\n";
echo 'the node has none: ', var_export($ids($nodes[1]) === [], true), "\n";
$pages = CHANGES * 4 * 30;
echo 'counted from the start: ',
    var_export($calls + $other > $pages && (int) $load()[3] > $calls, true), "\n";
$sharing = json_decode(
    $page('<?php echo json_encode(OneHop\Topology::status()[0]["sharing"]);'),
    true,
);
echo 'entries in use: ', var_export($sharing['nodes'] >= 1 && $sharing['nodes'] <= 2, true),
    " of $sharing[nodes_max], descriptors: ",
    var_export($sharing['descriptors'] >= 1 && $sharing['descriptors'] <= 3, true), "\n";
echo 'the log says: ',
    implode(preg_grep('/max_nodes|descriptors/', file(Lab::file('fpm.log'))) ?: ['nothing']), "\n";
?>
--EXPECT--
another password, several times
old connections are closed: true
another pool_size
old connections are closed: true
still shared
at most pool_size: true, closed: 0, opened and closed: 0
a server that was taken out
its connections are closed: true
the node has none: true
counted from the start: true
entries in use: true of 4, descriptors: true
the log says: nothing
