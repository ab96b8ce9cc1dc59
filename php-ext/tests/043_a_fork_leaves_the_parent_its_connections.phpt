--TEST--
After a fork parent and child each have their own connections, and the child closes the parent's without a word
--FILE--
<?php
require __DIR__ . '/lab.inc';

$config = lab_config([$a = lab_redis(), $b = lab_redis()]);
$redis = new OneHop\Redis('alpha', $config);
$keys = array_values(lab_key_of_each($config));
$redis->mset([$keys[0] => 'zero', $keys[1] => 'one']);
$children = [];
for ($child = 0; $child < 4; $child++) {
    $id = pcntl_fork();
    if ($id === 0) {
        $wrong = 0;
        for ($i = 0; $i < 200; $i++) {
            $redis->set("child:$child:$i", "$child $i");
            $wrong += $redis->get("child:$child:$i") !== "$child $i";
            $wrong += $redis->mget($keys) !== ['zero', 'one'];
        }
        posix_kill(posix_getpid(), $wrong ? SIGTERM : SIGKILL);
    }
    $children[] = $id;
}
$wrong = 0;
for ($i = 0; $i < 200; $i++) {
    $wrong += $redis->mget($keys) !== ['zero', 'one'];
    $wrong += $redis->pipeline()->get($keys[1])->get($keys[0])->exec() !== ['one', 'zero'];
}
foreach ($children as $id) {
    pcntl_waitpid($id, $status);
    $wrong += pcntl_wtermsig($status) !== SIGKILL;
}
echo "wrong: $wrong\n";
foreach ([$a, $b] as $port) {
    $quits = lab_plain($port)->info('commandstats')['cmdstat_quit'] ?? 0;
    var_dump($quits);
}
?>
--EXPECT--
wrong: 0
int(0)
int(0)
