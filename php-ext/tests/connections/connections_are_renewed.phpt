--TEST--
Connections are renewed by their age, before the node drops them, and calls do not notice
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/** How many connections calls opened in so many seconds, in which the machine did not pause. */
$opened = static function (OneHop\Redis $redis, Redis $plain, float $seconds): int {
    $before = lab_accepted($plain);
    for ($i = 0; $i < $seconds * 100; $i++) {
        $redis->incr('number');
        usleep(10000);
    }
    return lab_accepted($plain) - $before;
};
$port = lab_redis();
$plain = lab_plain($port);
foreach (['an age' => 300, 'no age' => 0, 'the default' => null] as $what => $age) {
    $redis = new OneHop\Redis('alpha', lab_config([$port], ['max_connection_age' => $age]));
    $count = $opened($redis, $plain, 1.5);
    lab_show($what, $age ? $count >= 4 : $count === 1);
}

echo "a transaction keeps its connection\n";
$redis = new OneHop\Redis('alpha', lab_config([$port], ['max_connection_age' => 200]));
$redis->watch('number');
usleep(400000);
$redis->multi();
$redis->set('number', '1');
lab_show('exec', $redis->exec());

echo "a node that drops idle connections after a second\n";
$port = lab_redis('--timeout', '1');
$plain = lab_plain($port);
$young = new OneHop\Redis('alpha', lab_config([$port], ['max_connection_age' => 800]));
$old = new OneHop\Redis('alpha', lab_config([$port]));
$ids = static fn (): array => array_column(lab_plain($port)->client('list'), 'id');
$id = null;
foreach ([0.9, 1.1, 1.9, 2.1, 2.5] as $pause) {
    foreach ([$young, $old] as $redis) {
        /* A write fails if the node drops its connection meanwhile: so wait for the drop. */
        while ($redis === $old && in_array($id, $ids())) {
            usleep(10000);
        }
        $redis->rPush('list', "after $pause");
        $redis->pipeline()->rPush('list', 'in')->rPush('list', 'a batch')->exec();
    }
    $id = $old->onNode('node-0', 'client', 'id');
    usleep((int) ($pause * 1e6));
}
$plain = lab_plain($port);
lab_show('written', $plain->lLen('list'));

echo "a node that has become a replica\n";
$port = lab_redis();
$plain = lab_plain($port);
$redis = new OneHop\Redis('alpha', lab_config([$port]));
$redis->set('a', '1');
$plain->rawCommand('REPLICAOF', '127.0.0.1', '1');
lab_tell(fn () => $redis->set('a', '2'));
$before = lab_accepted($plain);
lab_show('a read', $redis->get('a'));
lab_show('a second one', $redis->get('a'));
lab_show('connections', lab_accepted($plain) - $before);
$plain->rawCommand('REPLICAOF', 'NO', 'ONE');
lab_show('a master again', $redis->set('a', '3'));

echo "connections that are killed under load\n";
$port = lab_redis();
$plain = lab_plain($port);
$killer = Lab::start([
    PHP_BINARY,
    ...lab_php_arguments(),
    '-r',
    '$plain = new Redis(); $plain->connect("127.0.0.1", ' . $port . ');'
        . 'for (;;) { usleep(5000); $plain->rawCommand("CLIENT", "KILL", "TYPE", "normal"); }',
]);
$redis = new OneHop\Redis('alpha', lab_config([$port], ['server_failure_limit' => 1000]));
$acknowledged = $unknown = $reads = $lying = 0;
$end = microtime(true) + 2;
while (
    microtime(true) < $end
    || (($acknowledged <= 200 || $reads <= 200) && microtime(true) < $end + 60)
) {
    try {
        $redis->incr('number');
        $acknowledged++;
    } catch (OneHop\Exception $e) {
        $unknown += $e->mayHaveExecuted();
    }
    try {
        $value = (int) $redis->get('number');
        $lying += $value < $acknowledged || $value > $acknowledged + $unknown;
        $reads++;
    } catch (OneHop\Exception) {
    }
}
Lab::stop($killer);
$value = (int) lab_plain($port)->get('number');
lab_show('every write is counted right', $lying === 0 && $value >= $acknowledged
    && $value <= $acknowledged + $unknown);
lab_show('hundreds of calls', $acknowledged > 200 && $reads > 200);
?>
--EXPECT--
an age: true
no age: true
the default: true
a transaction keeps its connection
exec: [true]
a node that drops idle connections after a second
written: 30
a node that has become a replica
RedisException: READONLY You can't write against a read only replica.
a read: "1"
a second one: "1"
connections: 1
a master again: true
connections that are killed under load
every write is counted right: true
hundreds of calls: true
