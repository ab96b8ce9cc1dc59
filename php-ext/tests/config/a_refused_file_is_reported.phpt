--TEST--
Every worker reports a refused file with time and reason: status, text, JSON, page and metrics
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

const PAGE = __DIR__ . '/../../onehop-status.php';
const WORKERS = 4;
const SECRET = 'not-to-be-seen';
$page = lab_fpm(['date.timezone' => 'UTC'], WORKERS);
$show = static fn (string $format): string
    => $page("<?php require '" . PAGE . "';", ['format' => $format]);
/** Makes a client in each worker until all workers show the state $ok; returns what they show. */
$shown = static function (bool $ok) use ($page): array {
    $script = '<?php
        try {
            new OneHop\Redis("alpha", $_GET["config"]);
        } catch (OneHop\Exception) {}
        usleep(20000);
        echo json_encode(OneHop\Topology::status()[0]["config"]);';
    for ($end = microtime(true) + 60; microtime(true) < $end;) {
        $all = array_map(
            static fn ($answer) => json_decode(substr($answer, strrpos($answer, '{')), true),
            $page($script, ['config' => $GLOBALS['config']], WORKERS),
        );
        if (!in_array(!$ok, array_column($all, 'ok'), true)) {
            return array_values(array_unique($all, SORT_REGULAR));
        }
    }
    throw new Error('not all workers show it: ' . json_encode($all));
};
$replace = static function (string $text) use (&$config): void {
    file_put_contents("$config.new", $text);
    rename("$config.new", $config);
};
$tell = static fn (array $told) => preg_replace('~"read_at":\d+~', '"read_at":WHEN', str_replace(
    Lab::$directory,
    'DIRECTORY',
    json_encode($told, JSON_UNESCAPED_SLASHES),
)) . "\n";
$metrics = static fn (): string => implode("\n", preg_replace(
    '/ \d{10}$/',
    ' WHEN',
    preg_grep('/^onehop_config_last_/', explode("\n", $show('prometheus'))),
)) . "\n";

$config = lab_config([lab_redis()], ['redis_auth' => SECRET, 'timeout' => 2000]);
$good = file_get_contents($config);
$begin = time();
$told = $shown(true);
echo 'status: ', $tell($told), $metrics();
echo 'read just now: ', json_encode(abs($told[0]['read_at'] - $begin) < 60), "\n";

echo "-- refused\n";
$replace(str_replace(
    '  servers:',
    "  timeout: soon\n  servers:",
    str_replace('timeout: 2000', 'backlog: 1', $good),
));
$told = $shown(false);
echo 'status: ', $tell($told), $metrics();
foreach ([
    'text' => '/\A.*\n.*/',
    'html' => '~</header><p class="verdict refused" .*?<main>~',
    'json' => '/"error": .*/',
] as $format => $pattern) {
    $text = $show($format);
    preg_match($pattern, $text, $match);
    echo $format, ': ', preg_replace(
        ['/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/', '/<[^>]*>/'],
        ['WHEN', ''],
        str_replace(Lab::$directory, 'DIRECTORY', $match[0] ?? $text),
    ), "\n";
    echo 'a secret: ', json_encode(str_contains($text, SECRET)), "\n";
}
unlink($config);
for (
    $end = microtime(true) + 60;
    !str_contains($tell($shown(false)), 'No such file') && microtime(true) < $end;
);
echo 'status: ', $tell($shown(false));

echo "-- in use again\n";
$replace($good);
echo 'status: ', $tell($shown(true)), $metrics(),
    'text: ', json_encode(str_contains($show('text'), 'refused')),
    ', html: ', json_encode(str_contains($show('html'), 'role="alert"')), "\n";

echo "-- a Redis Cluster, and without shared memory\n";
$script = <<<'PHP'
<?php
require $argv[1];

$port = lab_redis('--cluster-enabled', 'yes', '--cluster-port', (string) Lab::port());
$plain = lab_plain($port);
$plain->rawCommand('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
$isWhole = static fn () => str_contains($plain->rawCommand('CLUSTER', 'INFO'), 'cluster_state:ok');
for ($end = microtime(true) + 30; !$isWhole() && microtime(true) < $end; usleep(10000));
$cluster = lab_config(["127.0.0.1:$port:1"], ['cluster' => 'true', 'distribution' => null]);
foreach ([$cluster, lab_config([$port])] as $at => $config) {
    new OneHop\Redis('alpha', $config);
    $see = static fn () => OneHop\Topology::status()[$at]['config'];
    $first = $see();
    file_put_contents($config, 'rubbish');
    for ($end = microtime(true) + 30; $see()['ok'] && microtime(true) < $end; usleep(50000)) {
        @new OneHop\Redis('alpha', $config);
    }
    $error = json_encode($see()['error'], JSON_UNESCAPED_SLASHES);
    echo json_encode($first['ok']), ' ', str_replace(Lab::$directory, 'DIRECTORY', $error), "\n";
}
PHP;
foreach (['4M', '0'] as $memory) {
    echo lab_run($script, [__DIR__ . '/../lab/lab.inc'], settings: [
        'onehop.shared_memory' => $memory, 'error_log' => '/dev/null',
    ]);
}
?>
--EXPECT--
status: [{"read_at":WHEN,"ok":true,"error":null}]
onehop_config_last_reload_successful{pool="alpha"} 1
onehop_config_last_reload_timestamp_seconds{pool="alpha"} WHEN
read just now: true
-- refused
status: [{"read_at":WHEN,"ok":false,"error":"Configuration DIRECTORY/alpha.yml, line 6: directive \"timeout\" is not a number: \"soon\""}]
onehop_config_last_reload_successful{pool="alpha"} 0
onehop_config_last_reload_timestamp_seconds{pool="alpha"} WHEN
text: alpha: the file is refused since WHEN UTC: Configuration DIRECTORY/alpha.yml, line 6: directive "timeout" is not a number: "soon"; the configuration read before stays in use
alpha: the node is up
a secret: false
html: Server pool alpha: the file is refused since WHEN UTC: Configuration DIRECTORY/alpha.yml, line 6: directive &quot;timeout&quot; is not a number: &quot;soon&quot;; the configuration read before stays in use.The node is up.
a secret: false
json: "error": "Configuration DIRECTORY/alpha.yml, line 6: directive \"timeout\" is not a number: \"soon\""
a secret: false
status: [{"read_at":WHEN,"ok":false,"error":"Configuration DIRECTORY/alpha.yml: No such file or directory"}]
-- in use again
status: [{"read_at":WHEN,"ok":true,"error":null}]
onehop_config_last_reload_successful{pool="alpha"} 1
onehop_config_last_reload_timestamp_seconds{pool="alpha"} WHEN
text: false, html: false
-- a Redis Cluster, and without shared memory
true "Configuration DIRECTORY/alpha.yml, line 1: the document is not a mapping of server pools"
true "Configuration DIRECTORY/alpha-2.yml, line 1: the document is not a mapping of server pools"
true "Configuration DIRECTORY/alpha.yml, line 1: the document is not a mapping of server pools"
true "Configuration DIRECTORY/alpha-2.yml, line 1: the document is not a mapping of server pools"
