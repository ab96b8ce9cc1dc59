--TEST--
A large pipeline does not stall when a node stops reading until its replies are read
--DESCRIPTION--
Not beneath valgrind: its pipelines move millions of bytes.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/* The node's writes block, and it reads nothing meanwhile: more is in flight than buffers hold. */
$script = '
    buffer(32768)
    for words in commands():
        value(words[2][0] * 40000)';

function wrong_of(OneHop\Redis $redis, int $commands): int
{
    $redis->pipeline();
    for ($i = 0; $i < $commands; $i++) {
        $redis->getSet("key:$i", str_repeat(chr(97 + $i % 26), 40000));
    }
    $wrong = 0;
    foreach ($redis->exec() as $i => $value) {
        $wrong += $value !== str_repeat(chr(97 + $i % 26), 40000);
    }
    return $wrong;
}

foreach ([1, 3] as $count) {
    $nodes = array_map(fn () => lab_node($script), range(1, $count));
    $redis = new OneHop\Redis('alpha', lab_config($nodes, ['timeout' => 30000]));
    var_dump(wrong_of($redis, 300 * $count));
}
?>
--EXPECT--
int(0)
int(0)
