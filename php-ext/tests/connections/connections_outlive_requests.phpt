--TEST--
Connections outlive requests of a php-fpm worker, except one that is left in the middle of a reply
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

[$port, $id] = lab_redis_process();
$plain = lab_plain($port);
$config = lab_config([$port]);
$page = lab_fpm(['memory_limit' => '24M', 'max_execution_time' => '5']);
$script = <<<'PHP'
<?php
$redis = new OneHop\Redis('alpha', $_GET['config']);
echo $redis->get('key'), ' ', implode(',', $redis->pipeline()->get('key')->get('key')->exec());
PHP;
$plain->set('key', 'value');
$before = lab_accepted($plain);
for ($i = 0; $i < 5; $i++) {
    echo $page($script, ['config' => $config]), "\n";
}
echo 'connections for 5 requests: ', lab_accepted($plain) - $before, "\n";

/*
 * Ways to end a request in the middle of an exchange or of a pipeline. The next request must get
 * its own value.
 */
$plain->rPush('list', ...array_fill(0, 40, str_repeat('m', 1000000)));
$ways = [
    'memory_limit while replies arrive' => '$redis->lRange("list", 0, -1);',
    'memory_limit while a batch is unpacked' => '
        $redis->pipeline()->lRange("list", 0, -1)->get("key")->exec();',
    'fatal error with a queue' => '
        $redis->pipeline()->set("key", "wrong")->get("key");
        undefined_function();',
    'exit with a queue' => '$redis->pipeline()->set("key", "wrong"); exit;',
    'uncaught exception' => '$redis->pipeline()->set("key", "wrong"); throw new Exception("x");',
    'held by a static' => '
        final class Holder {
            public static $redis;
        }
        Holder::$redis = $redis;
        $redis->get("key");
        $redis->pipeline()->set("key", "wrong");',
    'held by a cycle' => '
        $object = new stdClass;
        $object->redis = $redis;
        $object->self = $object;
        $redis->get("key");
        unset($object, $redis);',
];
foreach ($ways as $name => $way) {
    $output = $page(
        '<?php $redis = new OneHop\Redis("alpha", $_GET["config"]); ' . $way,
        ['config' => $config],
    );
    echo $name, ': ',
        preg_match('/Allowed memory size|Call to undefined|Uncaught Exception/', $output, $match)
            ? $match[0]
            : 'ends', ', then ',
        $page($script, ['config' => $config]), "\n";
}
usleep(100000);
echo 'open connections: ', count($plain->client('list')) - 1, "\n";
?>
--EXPECT--
value value,value
value value,value
value value,value
value value,value
value value,value
connections for 5 requests: 1
memory_limit while replies arrive: Allowed memory size, then value value,value
memory_limit while a batch is unpacked: Allowed memory size, then value value,value
fatal error with a queue: Call to undefined, then value value,value
exit with a queue: ends, then value value,value
uncaught exception: Uncaught Exception, then value value,value
held by a static: ends, then value value,value
held by a cycle: ends, then value value,value
open connections: 1
