--TEST--
Junk in the memory of a host shows up as numbers and text only, and never changes a reply
--DESCRIPTION--
No second try: it looks for wrong replies.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$config = lab_config([lab_redis(), lab_redis()], ['timeout' => 5000]);
$redis = new OneHop\Redis('alpha', $config);
for ($i = 0; $i < 40; $i++) {
    $redis->set(md5("$i"), "value:$i");
}
/* The status page without the lines that serve it. */
$code = explode('if (PHP_SAPI ===', file_get_contents(__DIR__ . '/../../onehop-status.php'))[0];
file_put_contents(
    $page = Lab::file('page.php'),
    str_replace('__DIR__', var_export(__DIR__ . '/../..', true), $code),
);
require $page;

foreach (file('/proc/self/maps') as $line) {
    if (
        preg_match('#^([0-9a-f]+)-([0-9a-f]+) rw-s .*/dev/zero#', $line, $found)
        && hexdec($found[2]) - hexdec($found[1]) >= 4 << 20
    ) {
        $begin = hexdec($found[1]);
    }
}
$memory = fopen('/proc/self/mem', 'r+b');
stream_set_write_buffer($memory, 0);
$at = static function (string $bytes) use ($memory, $begin): int {
    fseek($memory, $begin);
    $place = strpos((string) stream_get_contents($memory, 1 << 20), $bytes);
    return $place === false ? exit('not found') : $begin + $place;
};
$write = static fn (int $to, string $bytes) => fseek($memory, $to) === 0 && fwrite($memory, $bytes);

/* The counters of a node, which begin with leases and bytes, show where its meter is. */
foreach (OneHop\Topology::status()[0]['nodes'] as $node) {
    $meters[] = $at(pack('q3', $node['leases'], $node['bytes_sent'], $node['bytes_received']));
}
foreach ([-1, PHP_INT_MIN, PHP_INT_MAX, 1 << 40] as $number) {
    foreach ($meters as $meter) {
        $write($meter, str_repeat(pack('q', $number), 9 + 101));
    }
    $pools = OneHop\Topology::status();
    foreach (array_keys(OneHop\Status\FORMATS) as $format) {
        $shown = OneHop\Status\show($format, $pools);
        echo "$format: ",
            strlen($shown) > 100 && !preg_match('/ -\d|NAN|INF/', $format === 'html' ? '' : $shown)
                ? 'shown'
                : $shown, ', ';
    }
    $right = array_filter(range(0, 39), static fn ($i) => $redis->get(md5("$i")) === "value:$i");
    echo count($right), " replies\n";
}

/*
 * Junk anywhere: in the pools, nodes and meters, and in the images after them. A call may fail
 * then, but must say so.
 */
mt_srand(1);
$random = static fn (int $length) => implode(array_map(
    static fn () => pack('q', mt_rand(0, 3) ? mt_rand() << 32 | mt_rand() : mt_rand(-1, 1)),
    range(1, $length / 8),
));
$wrong = $unreadable = $answered = 0;
ini_set('error_log', '/dev/null');
for ($round = 0; $round < 300; $round++) {
    for ($i = 0; $i < 20; $i++) {
        $write($begin + 8 * mt_rand(0, (1 << 19) / 8), $random(8 * mt_rand(1, 16)));
    }
    for ($i = 0; $i < 10; $i++) {
        try {
            $answered++;
            $wrong += (new OneHop\Redis('alpha', $config))->get(md5("$i")) !== "value:$i";
        } catch (OneHop\Exception) {
            $answered--;
        }
    }
    $pools = OneHop\Topology::status();
    foreach (array_keys(OneHop\Status\FORMATS) as $format) {
        $shown = OneHop\Status\show($format, $pools);
        $unreadable += $format === 'json'
            ? json_decode($shown) === null
            : preg_match('/[\x00-\x08\x0e-\x1f]|NAN|INF\b/', $shown);
    }
}
echo 'anything: ', $wrong, ' wrong, ', $unreadable, ' unreadable, some answered: ',
    var_export($answered > 0, true), "\n";
?>
--EXPECT--
html: shown, text: shown, json: shown, prometheus: shown, 40 replies
html: shown, text: shown, json: shown, prometheus: shown, 40 replies
html: shown, text: shown, json: shown, prometheus: shown, 40 replies
html: shown, text: shown, json: shown, prometheus: shown, 40 replies
anything: 0 wrong, 0 unreadable, some answered: true
