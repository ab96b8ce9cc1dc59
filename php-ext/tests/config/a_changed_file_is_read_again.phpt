--TEST--
All clients use a changed file within a second; a bad file never replaces a good one
--DESCRIPTION--
Not beneath valgrind: most of this test is a race with a writer of the file.
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

[$a, $b] = [lab_redis(), lab_redis()];
lab_plain($a)->set('where', 'a');
lab_plain($b)->set('where', 'b');
$write = static fn (array $servers) => lab_config($servers, [], 'changing.yml');
$config = $write([$a]);
$old = new OneHop\Redis('alpha', $config);
echo $old->get('where'), "\n";

/* A client that is made after a second gets the new configuration, and so does an older one. */
$later = static function () use ($config) {
    usleep(1050000);
    return new OneHop\Redis('alpha', $config);
};
$write([$b]);
$new = $later();
echo $old->get('where'), ' ', $new->get('where'), "\n";

/* Frameworks turn each warning into an exception, which would end a request. */
set_error_handler(static function (int $level, string $message) {
    throw new ErrorException($message);
});
$log = Lab::file('log');
ini_set('error_log', $log);
$logged = static function () use ($log): string {
    $lines = preg_replace('/^\[.*?\] /m', '', (string) @file_get_contents($log));
    @unlink($log);
    return str_replace(Lab::$directory, 'DIRECTORY', $lines);
};
foreach ([
    'rubbish' => 'rubbish', 'half of it' => substr(file_get_contents($config), 0, 60),
    'nothing' => '', 'another pool' => str_replace('alpha', 'beta', file_get_contents($config)),
] as $what => $text) {
    echo "$what\n";
    file_put_contents($config, $text);
    echo $later()->get('where'), ' ', (new OneHop\Redis('alpha', $config))->get('where'), "\n",
        $logged();
}
echo "no file\n";
unlink($config);
echo $later()->get('where'), ' ', $later()->get('where'), "\n", $logged();
lab_tell(fn () => new OneHop\Redis('beta', $config));
echo "good again\n";
unset($old);
$write([$a]);
echo $later()->get('where'), ' ', $new->get('where'), "\n";
$topology = new OneHop\Topology('alpha', $config);
$write([$b, $a]);
$later();
echo count($topology->nodes()), ' ', count((new OneHop\Topology('alpha', $config))->nodes()), "\n";

echo "written many times\n";
$wrong = 0;
$seen = [];
$writer = Lab::start([
    PHP_BINARY,
    '-n',
    '-r',
    '$texts = [' . var_export(str_replace("$b:", "$a:", file_get_contents($config)), true) . ', '
        . var_export(file_get_contents($config), true)
        . ', "rubbish", ""]; for (;;) { file_put_contents(' . var_export($config, true)
        . ', $texts[array_rand($texts)]); usleep(500); }',
]);
for ($end = microtime(true) + 5; microtime(true) < $end; usleep(1000)) {
    $nodes = implode(',', array_map(
        static fn ($node) => $node->port,
        (new OneHop\Topology('alpha', $config))->nodes(),
    ));
    $seen[$nodes] = ($seen[$nodes] ?? 0) + 1;
}
Lab::stop($writer);
lab_show('seen besides', array_diff(array_keys($seen), ["$b,$a", "$a,$a"]));
?>
--EXPECT--
a
b b
rubbish
b b
OneHop: Configuration DIRECTORY/changing.yml, line 1: the document is not a mapping of server pools; the configuration read before stays in use
half of it
b b
OneHop: Configuration DIRECTORY/changing.yml, line 1: directive "servers" is missing; the configuration read before stays in use
nothing
b b
OneHop: Configuration DIRECTORY/changing.yml, line 1: there is no server pool; the configuration read before stays in use
another pool
b b
OneHop: There is no server pool alpha in DIRECTORY/changing.yml, only beta; the configuration read before stays in use
no file
b b
OneHop: Configuration DIRECTORY/changing.yml: No such file or directory; the configuration read before stays in use
OneHop\ConfigInvalid, node none, may have executed: false
  Configuration DIRECTORY/changing.yml: No such file or directory; correct the file, or name another one
good again
a a
1 2
written many times
seen besides: []
