--TEST--
nutcracker and OneHop place each key alike: by every distribution, with a hash tag, with a prefix
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$ports = [lab_redis(), lab_redis(), lab_redis(), lab_redis()];

echo "commands go to the node that OneHop\\Topology names\n";
$config = lab_config($ports);
$through_nutcracker = lab_plain(lab_nutcracker($config));
$redis = new OneHop\Redis('alpha', $config);
$topology = new OneHop\Topology('alpha', $config);
$nodes = [];
foreach ($topology->nodes() as $node) {
    $nodes[$node->name] = lab_plain($node->port);
}
$wrong = 0;
for ($i = 0; $i < 500; $i++) {
    $through_nutcracker->set(md5("key$i"), "value $i");
    $wrong += $redis->get(md5("key$i")) !== "value $i";
    $redis->set(md5("other$i"), "by us $i");
    $wrong += $through_nutcracker->get(md5("other$i")) !== "by us $i";
    $wrong += $nodes[$topology->locate(md5("other$i"))->name]->get(md5("other$i")) !== "by us $i";
}
lab_show('wrong', $wrong);
lab_show('nodes in use', count(array_filter($nodes, fn ($node) => $node->dbSize() > 20)));

echo "distributions, weights and hash tags, also without a timeout\n";
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
    lab_show(
        "$directives[distribution] $directives[hash]",
        $redis->mget($keys) === array_map(fn ($key) => "value of $key", $keys),
    );
}

echo "OPT_PREFIX is part of the key that is placed\n";
$config = lab_config($ports, ['hash_tag' => '"{}"']);
$through = lab_plain(lab_nutcracker($config));
$redis = new OneHop\Redis('alpha', $config);
$redis->setOption(Redis::OPT_PREFIX, 'app:');
$wrong = 0;
for ($i = 0; $i < 300; $i++) {
    $redis->set("key:$i", $i);
    $wrong += $through->get("app:key:$i") !== "$i";
}
$long = str_repeat('l', 700);
$redis->set($long, 'long');
$wrong += $through->get("app:$long") !== 'long';
$redis->setOption(Redis::OPT_PREFIX, '{tag}');
$redis->mset(['a' => 1, 'b' => 2]);
$wrong += $through->mget(['{tag}a', '{tag}b']) !== ['1', '2'];
$wrong += $redis->mget(['a', 'b']) !== ['1', '2'];
$redis->setOption(Redis::OPT_PREFIX, '');
$wrong += $redis->mget(['{tag}a', '{tag}b', 'app:key:7']) !== ['1', '2', '7'];
$wrong += $redis->getOption(Redis::OPT_PREFIX) !== null;
lab_show('wrong', $wrong);
?>
--EXPECT--
commands go to the node that OneHop\Topology names
wrong: 0
nodes in use: 4
distributions, weights and hash tags, also without a timeout
ketama md5: true
modula crc32a: true
ketama murmur: true
modula one_at_a_time: true
OPT_PREFIX is part of the key that is placed
wrong: 0
