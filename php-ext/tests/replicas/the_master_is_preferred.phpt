--TEST--
read_from: prefer_master: the master answers; while it hangs, loads or is dead, a replica does
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/sentinel.inc';

/* The replica does not replicate: the value of a key says who has answered. */
[$master, $process] = lab_redis_process();
$replica = lab_redis();
$fill = static fn (int $port, string $value)
    => lab_plain($port)->mSet(['key' => $value, 'other' => $value]);
$fill($master, 'master');
$fill($replica, 'replica');
$config = static fn (int $of) => lab_config([$of], [
    'read_from' => 'prefer_master', 'replicas' => "\n   - 127.0.0.1:$replica node-0",
    'timeout' => 6000, 'server_failure_limit' => 1,
]);
$answers = static fn (OneHop\Redis $redis) => array_unique([
    $redis->get('key'),
    $redis->getRange('key', 0, -1),
    ...$redis->mGet(['key', 'other']),
    ...$redis->pipeline()->get('key')->getRange('other', 0, -1)->exec(),
    $redis->rawCommand('GET', 'key'),
]);
$batch = static function (OneHop\Redis $redis): array {
    try {
        return $redis->pipeline()->get('key')->set('key', 'lost')->get('key')->exec();
    } catch (OneHop\PartialBatch $partial) {
        return array_map(
            static fn ($reply) => $reply instanceof Throwable ? $reply::class : $reply,
            $partial->getReplies(),
        );
    } catch (OneHop\NodeDown $down) {
        return [$down::class];
    }
};

$redis = new OneHop\Redis('alpha', $config($master));
lab_show('well', $answers($redis));
lab_show('a batch', $redis->pipeline()->get('key')->set('key', 'new')->get('key')->exec());
lab_show(
    'reads of the replica',
    preg_match('/cmdstat_m?get:/', lab_plain($replica)->rawCommand('INFO', 'commandstats')),
);

$loads = lab_node('
    for words in commands():
        reply("-LOADING Redis is loading the dataset in memory")');
lab_show('loading', $answers(new OneHop\Redis('alpha', $config($loads))));

Lab::signal($process, 19);
$begin = microtime(true);
lab_show('hanging', $answers($redis));
/* One read finds out that the master hangs; the other reads do not wait for it. */
lab_show('in time', microtime(true) - $begin < 3 * 3.0);

Lab::stop($process);
for ($i = 0; $i < 10; $i++) {
    $dead = $answers($redis);
}
lab_show('dead', $dead);
$ending = static function (callable $call): string {
    try {
        return json_encode($call());
    } catch (OneHop\Exception $failure) {
        return $failure::class;
    }
};
lab_show('a write', $ending(fn () => $redis->set('key', 'lost')));
lab_show('a transaction', $ending(fn () => $redis->multi()->get('key')->exec()));
lab_show('a read behind a write', $ending(
    fn () => $redis->pipeline()->set('key', 'lost')->get('key')->exec(),
));
Lab::until(
    static fn () => $batch($redis) === ['replica', 'OneHop\NodeDown', 'OneHop\NodeDown'],
    'read in front of a write',
);
?>
--EXPECT--
well: ["master"]
a batch: ["master",true,"new"]
reads of the replica: 0
loading: ["replica"]
hanging: ["replica"]
in time: true
dead: ["replica"]
a write: "OneHop\\NodeDown"
a transaction: "OneHop\\NodeDown"
a read behind a write: "OneHop\\NodeDown"
