--TEST--
onehop-status.php serves valid HTML, text, JSON and metrics, whatever the names, also in a shell
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

const PAGE = __DIR__ . '/../../onehop-status.php';
$hidden = static fn (string $text): string => preg_replace(
    [
        '/127\.0\.0\.1:\d+/', '~/[\w./-]+/alpha\.yml~', '/[0-9a-f]{32}/',
        '/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/',
    ],
    ['ADDRESS', 'FILE', 'FINGERPRINT', 'MOMENT'],
    $text,
);
$evil = '<b>"\\&' . "'é";
$config = lab_config(
    [lab_redis(), '127.0.0.1:' . Lab::port() . ":2 $evil"],
    ['distribution' => 'modula'],
);
$page = lab_fpm(['date.timezone' => 'UTC'], 2);
$show = static fn (string $format) => $page("<?php require '" . PAGE . "';", ['format' => $format]);

echo $show('text');
echo $page('<?php
    $redis = new OneHop\Redis("alpha", $_GET["config"]);
    $refused = 0;
    for ($i = 0; $i < 90; $i++) {
        try {
            $redis->get("key:$i");
        } catch (OneHop\NodeDown) {
            $refused++;
        }
    }
    echo $refused;', ['config' => $config]), " refused\n\n";

echo "text\n", preg_replace(
    [
        '/resting, (next try in \S+( ms| s)?|due)/', '/\d+ µs|\d+\.?\d* m?s/', '/ {3,}/',
        '/(16  (80|10))  \S+/', '/\d\.\d KiB  \d+ B/',
    ],
    ['resting', 'TIME', '  ', '$1  RATE', 'BYTES'],
    $hidden($show('text')),
);

echo "\nJSON\n";
$status = json_decode($show('json'), true, 512, JSON_THROW_ON_ERROR);
[$pool] = $status['pools'];
echo implode(' ', array_keys($pool)), "\n", implode(' ', array_keys($pool['nodes'][0])), "\n",
    implode(' ', array_keys($pool['nodes'][0]['latency'])), "\n";
$node = $pool['nodes'][1];
lab_show('state, share, errors', [$node['state'], round($node['share'], 2), $node['errors']]);

echo "\nPrometheus\n";
$text = $show('prometheus');
$families = $wrong = [];
foreach (explode("\n", rtrim($text, "\n")) as $line) {
    if (preg_match('/^# TYPE (\w+) (\w+)$/', $line, $match)) {
        $families[$match[1]] = $match[2];
    } elseif (!preg_match('/^# HELP \w+ \S/', $line) && !preg_match(
        '/^(\w+)\{(\w+="(?:[^"\\\\\n]|\\\\[\\\\"n])*",?)+\} [0-9.]+$/u',
        $line,
        $match,
    )) {
        $wrong[] = $line;
    }
}
foreach ($families as $name => $type) {
    echo "$name $type\n";
}
lab_show('wrong lines', $wrong);
lab_show('it is UTF-8', preg_match('//u', $text) === 1);
preg_match_all(
    '/^onehop_latency_seconds_bucket\{pool="alpha",node="node-0",le="([^"]+)"\} (\d+)$/m',
    $text,
    $match,
);
$sorted = array_map(intval(...), $match[2]);
sort($sorted);
echo implode(' ', $match[1]), "\n";
lab_show('the buckets grow', $sorted == $match[2]);
lab_show(
    'the last one has all',
    end($sorted) === $status['pools'][0]['nodes'][0]['latency']['count'],
);
echo preg_grep('/^onehop_latency_seconds_count.*node-0/', explode("\n", $text))
    ? "as many as were counted\n"
    : '';
echo implode(
    "\n",
    preg_grep('/^onehop_(calls_total|node_up|connections|generation)\{/', explode("\n", $text)),
), "\n";

echo "\nHTML\n";
$html = $show('html');
lab_show('a name is markup', str_contains($html, '<b>'));
lab_show('it is escaped', str_contains($html, '&lt;b&gt;&quot;\\&amp;&apos;é'));
echo substr_count($html, '<script'), ' scripts, ', substr_count($html, '<table'), ' tables, ',
    substr_count($html, '<tr'), " rows\n";

echo "\nother requests\n";
echo $show('xml'), $page("<?php require '" . PAGE . "';", ['format' => ['html']]);

echo "\nfrom a terminal\n";
$ask = static fn (string $arguments) => $hidden((string) shell_exec(
    escapeshellarg(PHP_BINARY) . ' -n ' . escapeshellarg(PAGE)
        . " $arguments 2>&1; echo \"ends with $?\"",
));
$socket = Lab::file('fpm.sock');
echo explode("\n", $ask($socket))[0], "\n",
    str_contains($ask("$socket prometheus"), 'onehop_calls_total{')
        ? "Prometheus' format, too\n"
        : '';
echo str_replace($socket, 'SOCKET', $ask("$socket-gone")),
    preg_replace('/127\S+|ADDRESS/', 'ADDRESS', $ask('127.0.0.1:' . Lab::port())),
    $ask("$socket xml"), explode("\n", $ask('--help'))[0], "\n";
foreach (['alpha', 'beta'] as $name) {
    $lines = explode("\n", trim($ask("$socket text $name")));
    echo "$name: ", str_replace($socket, 'SOCKET', $lines[0]), ', ', end($lines), "\n";
}
?>
--EXPECT--
No server pool is in use: no client was made yet by a process that shares its memory with this one.
10 refused

text
alpha: 1 of 2 nodes is down: calls for 66.7 % of the keys fail
  FILE, generation 1, modula, fnv1a_64, fingerprint FINGERPRINT
  numbers since MOMENT

  node  address  state  answered  share  of calls  leased  idle  max  calls  a second  errors  5 min  p50  p99  redirects  waits  connects  selects  sent  received
  <b>"\&'é  ADDRESS  resting  –  66.7 %  11.1 %  0  0  16  10  RATE  10  10  –  –  0  0  1  0  0 B  0 B
  node-0  ADDRESS  up  TIME ago  33.3 %  88.9 %  0  1  16  80  RATE  0  0  TIME  TIME  0  0  1  0  BYTES

  <b>"\&'é: Connection refused while connecting


JSON
pool path generation fingerprint distribution hash config sharing nodes
node address weight role master share state rests_ms failures reason connections since answered_at errors_recent calls errors redirects leases waits connects selects bytes_sent bytes_received latency process
count sum p50 p99 below
state, share, errors: ["resting",0.67,10]

Prometheus
onehop_build_info gauge
onehop_calls_total counter
onehop_errors_total counter
onehop_redirects_total counter
onehop_leases_total counter
onehop_waits_total counter
onehop_connects_total counter
onehop_selects_total counter
onehop_bytes_sent_total counter
onehop_bytes_received_total counter
onehop_latency_seconds histogram
onehop_connections gauge
onehop_connections_max gauge
onehop_node_up gauge
onehop_node_info gauge
onehop_share gauge
onehop_last_answer_timestamp_seconds gauge
onehop_config_info gauge
onehop_generation gauge
onehop_config_last_reload_successful gauge
onehop_config_last_reload_timestamp_seconds gauge
wrong lines: []
it is UTF-8: true
0.000016 0.000032 0.000064 0.000128 0.000256 0.000512 0.001024 0.002048 0.004096 0.008192 0.016384 0.032768 0.065536 0.131072 0.262144 0.524288 1.048576 2.097152 4.194304 8.388608 16.777216 +Inf
the buckets grow: true
the last one has all: true
as many as were counted
onehop_calls_total{pool="alpha",node="node-0"} 80
onehop_calls_total{pool="alpha",node="<b>\"\\&'é"} 10
onehop_connections{pool="alpha",node="node-0",state="leased"} 0
onehop_connections{pool="alpha",node="node-0",state="idle"} 1
onehop_connections{pool="alpha",node="<b>\"\\&'é",state="leased"} 0
onehop_connections{pool="alpha",node="<b>\"\\&'é",state="idle"} 0
onehop_node_up{pool="alpha",node="node-0"} 1
onehop_node_up{pool="alpha",node="<b>\"\\&'é"} 0
onehop_generation{pool="alpha"} 1

HTML
a name is markup: false
it is escaped: true
0 scripts, 2 tables, 9 rows

other requests
format is one of: html, text, json, prometheus
format is one of: html, text, json, prometheus

from a terminal
alpha: 1 of 2 nodes is down: calls for 66.7 % of the keys fail
Prometheus' format, too
unix://SOCKET-gone: No such file or directory
ends with 3
tcp://ADDRESS: Connection refused
ends with 3
usage: php onehop-status.php /path/of/php-fpm.sock|host:port [text|json|prometheus|html] [POOL]

Shows what the workers of that php-fpm know about the nodes of their server pools, or of one of
them. Ends with 0 if all is well; 1 if a node is ejected or has returned, or a file is refused; 2 if
a node is down; 3 if nothing could be asked.
ends with 3
usage: php onehop-status.php /path/of/php-fpm.sock|host:port [text|json|prometheus|html] [POOL]
alpha: alpha: 1 of 2 nodes is down: calls for 66.7 % of the keys fail, ends with 2
beta: unix://SOCKET: This server pool is not in use., ends with 3
