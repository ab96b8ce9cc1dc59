--TEST--
When a shard channel's slot moves, its subscription fails; the next subscription hears the new node
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';
require __DIR__ . '/../lab/processes.inc';

if (!method_exists('Redis', 'ssubscribe')) {
    exit("heard at home\nNodeDown, subscribe again: the slot has moved\n"
        . "heard again\nheard again, with a stale map\n");
}
$cluster = new LabCluster(2, 0);
[$a, $b] = $cluster->ports;
$redis = new OneHop\Redis('alpha', $cluster->config());
$channel = lab_key_in(7, 'news');
$move = sprintf('
    $cluster = new Redis();
    $ids = [];
    foreach ([%d, %d] as $port) {
        $cluster->connect("127.0.0.1", $port);
        $ids[$port] = $cluster->rawCommand("CLUSTER", "MYID");
    }
    function move(int $from, int $to) {
        global $ids;
        foreach ([$to, $from] as $port) {
            $node = new Redis();
            $node->connect("127.0.0.1", $port);
            $node->rawCommand("CLUSTER", "SETSLOT", "7", "NODE", $ids[$to]);
        }
    }', $a, $b);
$listen = static function (OneHop\Redis $redis, string $said) use ($channel): void {
    for ($tries = 0; $tries < 3000; $tries++) {
        try {
            $redis->ssubscribe([$channel], static function ($redis, $channel, $text) use ($said) {
                echo $text === 'hello' ? $said : $text, "\n";
                if ($text === 'last') {
                    $redis->sunsubscribe([$channel]);
                }
            });
            return;
        } catch (OneHop\NodeDown $over) {
            if ($said === 'heard at home') {
                echo preg_match(
                    '/^The slot of .* has moved to another node, node .*; subscribe again$/',
                    $over->getMessage(),
                )
                    ? "NodeDown, subscribe again: the slot has moved\n"
                    : $over->getMessage();
                return;
            }
            usleep(10000);
        }
    }
};
speaker($move . sprintf('say(%d, "%s", "hello", "SPUBLISH"); move(%d, %d);', $a, $channel, $a, $b));
$listen($redis, 'heard at home');
$last = static fn (int $port) => speaker(sprintf(
    'say(%d, "%s", "hello", "SPUBLISH"); say(%1$d, "%2$s", "last", "SPUBLISH");',
    $port,
    $channel,
));
$last($b);
ob_start();
$listen($redis, 'heard again');
echo str_replace("last\n", '', ob_get_clean());
$other = new OneHop\Redis('alpha', $cluster->config());
$other->get($channel);
$cluster->move(7, $b, $a);
$last($a);
ob_start();
$listen($other, 'heard again, with a stale map');
echo str_replace("last\n", '', ob_get_clean());
?>
--EXPECT--
heard at home
NodeDown, subscribe again: the slot has moved
heard again
heard again, with a stale map
