--TEST--
After its ejection a node is shown as up only when it has answered, not when the time is over
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$port = Lab::port();
$config = lab_config(
    [lab_redis(), "127.0.0.1:$port:1 gone", lab_redis()],
    ['auto_eject_hosts' => 'true', 'server_failure_limit' => 1, 'server_retry_timeout' => 300],
);
$keys = lab_key_of_each($config);
$page = lab_fpm();
$ask = static fn (string $key): string => $page('<?php
    try {
        var_export((new OneHop\Redis("alpha", $_GET["config"]))->get($_GET["key"]));
    } catch (OneHop\NodeDown $e) {
        echo get_class($e);
    }', ['config' => $config, 'key' => $key]);
$show = static fn (string $format): string => $page(
    '<?php require "' . __DIR__ . '/../../onehop-status.php";',
    ['format' => $format],
);
$node = static function () use ($show): array {
    $nodes = json_decode($show('json'), true)['pools'][0]['nodes'];
    return array_column($nodes, null, 'node')['gone'];
};
$tell = static function () use ($node, $show): void {
    ['state' => $state, 'reason' => $reason, 'share' => $share] = $node();
    preg_match('/^onehop_node_up.*"gone"\} (\d)$/m', $show('prometheus'), $up);
    echo "$state, ", $share > 0 ? 'has keys' : 'has no keys', ', ', $reason ?? 'no reason',
        ", onehop_node_up $up[1]\n", strtok($show('text'), "\n"), "\n";
};

echo $ask($keys['gone']), "\n";
Lab::until(static fn () => $node()['state'] !== 'ejected', 'end of the ejection');
$tell();
echo "\nothers are asked: ", $ask($keys['node-0']), "\n";
$tell();
lab_redis_at($port);
echo "\nit is asked: ", $ask($keys['gone']), "\n";
$tell();
?>
--EXPECT--
OneHop\NodeDown
returned, has keys, Connection refused while connecting, onehop_node_up 0
alpha: 2 of 3 nodes are up; 1 has not answered since its ejection

others are asked: false
returned, has keys, Connection refused while connecting, onehop_node_up 0
alpha: 2 of 3 nodes are up; 1 has not answered since its ejection

it is asked: false
up, has keys, no reason, onehop_node_up 1
alpha: all 3 nodes are up
