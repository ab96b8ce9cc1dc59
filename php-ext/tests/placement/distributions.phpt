--TEST--
ketama with weights, modula and a hash tag find what nutcracker wrote, also without a timeout
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$ports = [lab_redis(), lab_redis(), lab_redis()];
$servers = ["127.0.0.1:$ports[0]:1 a", "127.0.0.1:$ports[1]:5 bb", "127.0.0.1:$ports[2]:2 c"];
$pools = [
    ['distribution' => 'ketama', 'hash' => 'md5', 'timeout' => 0],
    ['distribution' => 'modula', 'hash' => 'crc32a', 'hash_tag' => '"{}"', 'timeout' => null],
    ['distribution' => 'ketama', 'hash' => 'murmur', 'hash_tag' => '"$$"'],
    ['distribution' => 'modula', 'hash' => 'one_at_a_time'],
];
foreach ($pools as $i => $directives) {
    $config = lab_config($servers, $directives, "pool$i.yml");
    $through = lab_plain(lab_nutcracker($config));
    $redis = new OneHop\Redis('alpha', $config);
    $keys = [];
    for ($k = 0; $k < 300; $k++) {
        $keys[] = ["k$k", "{t$k}x", "x\$t$k\$y", "{}$k", ''][$k % 5] . ($k % 5 === 4 ? '' : "-$i");
    }
    $keys = array_values(array_unique($keys));
    foreach ($keys as $key) {
        $through->set($key, "value of $key");
    }
    echo $directives['distribution'], ' ', $directives['hash'], ': ',
        json_encode($redis->mget($keys) === array_map(fn ($key) => "value of $key", $keys)), "\n";
}
?>
--EXPECT--
ketama md5: true
modula crc32a: true
ketama murmur: true
modula one_at_a_time: true
