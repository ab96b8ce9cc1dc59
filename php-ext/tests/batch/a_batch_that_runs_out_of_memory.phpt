--TEST--
A batch that runs into memory_limit still gives all its replies to a shutdown function
--DESCRIPTION--
Not beneath valgrind: memory_limit counts only the memory of PHP's own allocator.
--INI--
memory_limit=5M
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$redis = new OneHop\Redis('alpha', lab_config(['127.0.0.1:' . lab_redis() . ':1']));
$redis->set('key', 'value');
$queued = 0;
register_shutdown_function(function () use ($redis, &$queued) {
    ini_set('memory_limit', '512M');
    for ($i = 0; $i < 200000; $i++, $queued++) {
        $redis->get('key');
    }
    $replies = $redis->exec();
    echo "\nenough: ", $queued > 200000 ? 'yes' : 'no', ', missing: ',
        max(0, $queued - count($replies)), ', wrong: ',
        count(array_filter($replies, static fn ($reply) => $reply !== 'value')), "\n";
});
for ($redis->pipeline(); ; $queued++) {
    $redis->get('key');
}
?>
--EXPECTF--
Fatal error: Allowed memory size of 5242880 bytes exhausted%a

enough: yes, missing: 0, wrong: 0
