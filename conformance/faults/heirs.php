<?php
/*
 * A php-fpm worker that makes calls of one kind until the file `stop` exists. It prints as JSON how
 * many, and those that failed or took long. Heirs.java is its twin in Java.
 *
 *     single    writes a key, then reads it
 *     batch     a pipeline over all nodes
 *     blocking  waits a second for an element of an empty list
 *     read      reads a key
 */
declare(strict_types=1);

const LONG_S = 0.02;
const PAUSE_US = 2000;

['job' => $job, 'directory' => $directory, 'config' => $config] = $_GET;
set_time_limit(0);
$tags = explode(',', file_get_contents("$directory/tags"));
$redis = new OneHop\Redis('alpha', $config);
$told = ['calls' => 0, 'noted' => []];
$call = function (string $what, callable $do) use (&$told) {
    $begun = microtime(true);
    $failures = [];
    try {
        $told['calls']++;
        $do();
    } catch (OneHop\PartialBatch $e) {
        $failures = $e->getFailures();
    } catch (OneHop\Exception $e) {
        $failures = [$e];
    }
    $ended = microtime(true);
    foreach ($failures as $e) {
        $told['noted'][] = [
            $begun, $ended, $what, $e->getKind(), $e->mayHaveExecuted(), $e->getNode(),
            substr($e->getMessage(), 0, 300),
        ];
    }
    if ($failures) {
        usleep(10000);
    } elseif ($ended - $begun > LONG_S) {
        $told['noted'][] = [$begun, $ended, $what, null, false, null, ''];
    }
};
$jobs = [
    'single' => function (string $key) use ($redis, $call) {
        $call('write', fn () => $redis->set("$key:single", 'value'));
        $call('read', fn () => $redis->get("$key:single"));
    },
    'batch' => function () use ($redis, $call, $tags) {
        $call('batch', function () use ($redis, $tags) {
            $pipeline = $redis->pipeline();
            foreach (array_rand($tags, 12) as $i) {
                $pipeline->set("{{$tags[$i]}}:batch", 'value')->get("{{$tags[$i]}}:batch");
            }
            $pipeline->exec();
        });
    },
    'blocking' => function (string $key) use ($redis, $call) {
        $call('blocking', fn () => $redis->blPop(["$key:list"], 1));
    },
    'read' => function (string $key) use ($redis, $call) {
        $call('read', fn () => $redis->get("$key:single"));
    },
];
$work = fn () => $jobs[$job]('{' . $tags[array_rand($tags)] . '}');
/* The first calls fetch the map and open connections. */
for ($i = 0; $i < ($job === 'blocking' ? 3 : 30); $i++) {
    $work();
}
$told = ['calls' => 0, 'noted' => []];
touch("$directory/begun-php-$job-" . basename($config, '.yml'));
for (; !file_exists("$directory/stop"); usleep(PAUSE_US)) {
    $work();
}
echo json_encode($told);
