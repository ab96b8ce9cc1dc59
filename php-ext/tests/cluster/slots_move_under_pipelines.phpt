--TEST--
While slots move under pipelines, nothing fails, keys are not mixed up, and no write is lost
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

const SLOTS = 120;
const KEYS = 600; /* Per worker: five in each of the slots that move. */
const WORKERS = 3;
$cluster = new LabCluster(3, 0, '--cluster-node-timeout', '30000');
[$a, $b] = $cluster->ports;
$config = $cluster->config();

/* A worker remembers its last write to each of its keys, and must read exactly that. */
$worker = <<<'PHP'
<?php
require $argv[1];
[, , $config, $name, $stop] = $argv;
$redis = new OneHop\Redis('alpha', $config);
$keys = [];
for ($i = 0; $i < 600; $i++) {
    $keys[] = lab_key_in(1000 + $i % 120, ":$name:$i");
}
$last = array_fill_keys($keys, 0);
$wrong = $failed = $rounds = 0;
$complain = static function (string $what) use (&$wrong) {
    if ($wrong++ < 3) {
        echo $what, "\n";
    }
};
while ($rounds < 6 || !file_exists($stop)) {
    $rounds++ || touch("$stop-begun-$name"); /* The slots may move now. */
    $chosen = array_rand(array_flip($keys), 200);
    try {
        $pipeline = $redis->pipeline();
        foreach ($chosen as $key) {
            $pipeline->set($key, $key . '=' . ($last[$key] + 1))->get($key);
            $pipeline->append($key, '!')->get($key);
        }
        $replies = $pipeline->exec();
        foreach ($chosen as $i => $key) {
            $last[$key]++;
            $value = "$key=$last[$key]";
            $four = array_slice($replies, $i * 4, 4);
            if ([$four[0], $four[1], $four[3]] !== [true, $value, "$value!"]) {
                $complain("$key: " . var_export($four, true));
            }
        }
        foreach (array_combine($chosen, $redis->mGet($chosen)) as $key => $value) {
            if ($value !== "$key=$last[$key]!") {
                $complain("$key is " . var_export($value, true) . ", not $last[$key]");
            }
        }
        $key = $chosen[0];
        if ($redis->get($key) !== "$key=$last[$key]!") {
            $complain("$key alone");
        }
    } catch (OneHop\Exception $e) {
        if ($failed++ < 3) {
            echo get_class($e), ' ', $e->getMessage(), "\n";
            foreach ($e instanceof OneHop\PartialBatch ? $e->getFailures() : [] as $failure) {
                echo '  ', $failure->getMessage(), "\n";
            }
        }
        break;
    }
}
foreach (array_chunk($keys, 100) as $chunk) {
    foreach (array_combine($chunk, $redis->mGet($chunk)) as $key => $value) {
        if ($value !== ($last[$key] ? "$key=$last[$key]!" : false)) {
            $complain("$key ends as " . var_export($value, true) . ", not $last[$key]");
        }
    }
}
printf("%d wrong, %d failed\n", $wrong, $failed);
PHP;
file_put_contents(Lab::file('worker.php'), $worker);
$stop = Lab::file('stop');
for ($i = 0; $i < WORKERS; $i++) {
    Lab::start(
        [
            PHP_BINARY, ...lab_php_arguments(), Lab::file('worker.php'),
            __DIR__ . '/../lab/cluster.inc', $config, "w$i", $stop,
        ],
        Lab::file("worker-$i.out"),
    );
}
Lab::until(static fn () => count(glob("$stop-begun-*")) === WORKERS, 'begin of workers', 60);
$cluster->forgetStatistics();
for ($slot = 1000; $slot < 1000 + SLOTS; $slot++) {
    $cluster->beginMove($slot, $a, $b);
    $keys = $cluster->call($a, 'CLUSTER', 'GETKEYSINSLOT', (string) $slot, '1');
    if ($keys) {
        $cluster->call(
            $a,
            'MIGRATE',
            '127.0.0.1',
            (string) $b,
            '',
            '0',
            '5000',
            'REPLACE',
            'KEYS',
            ...$keys,
        );
    }
    usleep(5000);
    $cluster->moveKeys($slot, $a, $b);
    $cluster->endMove($slot, $a, $b);
}
$moved = $cluster->errors('MOVED');
$asked = $cluster->errors('ASK');
touch($stop);
for ($i = 0; $i < WORKERS; $i++) {
    Lab::until(
        static fn ()
            => str_contains((string) @file_get_contents(Lab::file("worker-$i.out")), ' failed'),
        'end of workers',
        60,
    );
    echo file_get_contents(Lab::file("worker-$i.out"));
}
echo $asked > 0 ? "nodes have answered ASK\n" : "no ASK\n";
?>
--EXPECT--
0 wrong, 0 failed
0 wrong, 0 failed
0 wrong, 0 failed
nodes have answered ASK
