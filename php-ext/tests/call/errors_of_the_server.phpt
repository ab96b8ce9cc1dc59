--TEST--
Errors of the server surface as in phpredis: false and getLastError(), or its RedisException
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$script = '
    for words in commands():
        is_loading = words[1] == "loading"
        reply("-LOADING Redis is loading" if is_loading else "-ERR odd " + words[1])';
$config = lab_config(
    ['127.0.0.1:' . lab_node($script) . ':1 odd', '127.0.0.1:' . lab_redis() . ':1 fine'],
    ['timeout' => 2000],
);
$redis = new OneHop\Redis('alpha', $config);
$topology = new OneHop\Topology('alpha', $config);
$odd = [];
$keys = lab_key_of_each($config);
for ($i = 0; count($odd) < 2; $i++) {
    if ($topology->locate("key:$i")->name === 'odd') {
        $odd[] = "key:$i";
    }
}
$isKept = fn () => str_starts_with($redis->getLastError(), "ERR odd $odd[0]");
lab_show('GET that the server refuses', $redis->get($odd[0]));
lab_show('getLastError() has its error', $isKept());
lab_show('GET of an unset key', $redis->get($keys['fine']));
lab_show('getLastError() still has the error', $isKept());
$redis->clearLastError();
lab_show('last error after it was cleared', $redis->getLastError());
lab_show('MGET that one of two servers refuses', $redis->mget([$odd[0], $keys['fine']]));
lab_show('getLastError() has its error', $isKept());
lab_show(
    'in a pipeline: GET refused, unset key, SET refused',
    $redis->pipeline()->get($odd[0])->get($keys['fine'])->set($odd[1], 1)->exec(),
);

$redis = new OneHop\Redis(
    'alpha',
    lab_config(['127.0.0.1:' . lab_node($script) . ':1 odd'], [], 'odd.yml'),
);
lab_tell(fn () => $redis->get('loading'));
lab_show('GET that the server refuses', $redis->get('x'));
lab_show('last error', rtrim($redis->getLastError()));
?>
--EXPECT--
GET that the server refuses: false
getLastError() has its error: true
GET of an unset key: false
getLastError() still has the error: true
last error after it was cleared: null
MGET that one of two servers refuses: false
getLastError() has its error: true
in a pipeline: GET refused, unset key, SET refused: [false,false,false]
RedisException: LOADING Redis is loading
GET that the server refuses: false
last error: "ERR odd x"
