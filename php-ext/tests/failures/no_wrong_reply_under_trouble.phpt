--TEST--
While nodes hang, wake up and drop clients, no command ever gets the reply of another
--DESCRIPTION--
No second try: it looks for replies of other commands.
Not beneath valgrind: its nodes hang for as long as a deadline.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$nodes = [];
for ($i = 0; $i < 4; $i++) {
    $nodes[] = lab_redis_process();
}
$redis = new OneHop\Redis(
    'alpha',
    lab_config(array_column($nodes, 0), ['timeout' => 30, 'server_failure_limit' => 1000]),
);
/* 20 s, because calls before the trouble must not fail. */
$redis->setOption(Redis::OPT_READ_TIMEOUT, 20);
for ($i = 0; $i < 400; $i++) {
    $redis->set(md5("key$i"), md5("key$i") . ' value');
}
$redis->setOption(Redis::OPT_READ_TIMEOUT, 0.03);
/*
 * One process disturbs the nodes: it stops a node for a little longer or shorter than the deadline,
 * or drops the clients of a node.
 */
$trouble = pcntl_fork();
if ($trouble === 0) {
    mt_srand(7);
    $plain = array_map(fn ($node) => lab_plain($node[0]), $nodes);
    while (posix_getppid() !== 1) {
        $victim = mt_rand(0, 3);
        if (mt_rand(0, 2)) {
            posix_kill($nodes[$victim][1], SIGSTOP);
            usleep(mt_rand(5, 60) * 1000);
            posix_kill($nodes[$victim][1], SIGCONT);
        } else {
            $plain[$victim]->rawCommand('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
        }
        usleep(mt_rand(0, 10) * 1000);
    }
    posix_kill(posix_getpid(), SIGKILL);
}
mt_srand(8);
$right = $wrong = $failed = $partial = 0;
$check = function (string $key, mixed $value) use (&$right, &$wrong, &$failed) {
    if ($value instanceof OneHop\Exception) {
        $failed++;
    } elseif ($value === "$key value") {
        $right++;
    } else {
        $wrong++;
    }
};
$begin = microtime(true);
/* Six seconds, or longer until a busy machine has seen both: right replies and failures. */
while (
    ($passed = microtime(true) - $begin) < 6
    || ($passed < 30 && ($right <= 500 || $failed <= 5 || $partial === 0))
) {
    $keys = array_map(fn ($i) => md5("key$i"), array_rand(range(0, 399), mt_rand(2, 30)));
    try {
        switch (mt_rand(0, 2)) {
            case 0:
                foreach ($keys as $key) {
                    $check($key, $redis->get($key));
                }
                break;
            case 1:
                array_map($check, $keys, $redis->mget($keys));
                break;
            case 2:
                $redis->pipeline();
                foreach ($keys as $key) {
                    $redis->get($key);
                }
                array_map($check, $keys, $redis->exec());
        }
    } catch (OneHop\PartialBatch $e) {
        $partial++;
        array_map($check, $keys, $e->getReplies());
    } catch (OneHop\Exception) {
        $failed++;
    }
}
posix_kill($trouble, SIGKILL);
pcntl_waitpid($trouble, $status);
foreach ($nodes as [, $id]) {
    Lab::signal($id, SIGCONT);
}
echo "wrong: $wrong\n";
lab_show('many are right', $right > 500);
lab_show('some fail', $failed > 5);
lab_show('some batches fail in part', $partial > 0);
$redis->setOption(Redis::OPT_READ_TIMEOUT, 20);
$wrong = 0;
$end = microtime(true) + 30;
for ($i = 0; $i < 400; $i++) {
    try {
        $wrong += $redis->get(md5("key$i")) !== md5("key$i") . ' value';
    /* The node may rest a little longer, or may just have dropped this client. */
    } catch (OneHop\NodeDown $e) {
        usleep(10000);
        $i -= microtime(true) < $end ? 1 : throw $e;
    }
}
echo "wrong afterwards: $wrong\n";
?>
--EXPECT--
wrong: 0
many are right: true
some fail: true
some batches fail in part: true
wrong afterwards: 0
