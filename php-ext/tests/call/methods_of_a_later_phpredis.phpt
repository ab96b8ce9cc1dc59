--TEST--
Methods that a later phpredis adds are understood by their names and parameters, or refused
--DESCRIPTION--
Not beneath valgrind: it would follow the compiler.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$source = __DIR__ . '/../lab/tomorrow.c';
$tomorrow = Lab::file('tomorrow.so');
$includes = shell_exec('php-config --includes 2>/dev/null');
exec('cc -shared -fPIC ' . trim($includes) . " -o $tomorrow $source 2>&1", $said, $status);
if ($status !== 0) {
    throw new Error(implode("\n", $said));
}
$ports = array_map(fn () => lab_node('
    for words in commands():
        reply("*1", ":60" if words[0] == "HTTL" else ":1")'), [0, 1]);
$config = lab_config($ports);
[$a, $b] = array_values(lab_key_of_each($config, 'later:k'));
file_put_contents(Lab::file('later.php'), <<<'SCRIPT'
<?php
require $argv[1];
[, , $config, $a, $b] = $argv;
$redis = new OneHop\Redis('alpha', $config);
$redis->setOption(Redis::OPT_PREFIX, 'later:');
lab_show('one key', [
    $redis->hExpire($a, 60, ['f', 'g']), $redis->hTtl($b, ['f']), $redis->vIsMember($b, 'e'),
]);
lab_show('keys that are names', $redis->mSetEx([$a => '1']));
lab_show('pipeline', $redis->pipeline()->hTtl($a, ['f'])->hTtl($b, ['g'])->exec());
lab_show('every node', array_keys($redis->onEachNode('hTtl', $a, ['h'])));
foreach ([
    fn () => $redis->vCard($a), fn () => $redis->vLinks($a, $iterator),
    fn () => $redis->nobodyKnows($a), fn () => $redis->shutdown('no'),
    fn () => $redis->onEachNode('nobodyKnows', $a), fn () => $redis->hExpire(),
] as $call) {
    lab_tell($call);
}
SCRIPT);

/* The extension is loaded before OneHop. */
$arguments = lab_php_arguments();
$onehop = array_search('extension=' . realpath(LAB_EXTENSION), $arguments, true);
array_splice($arguments, $onehop - 1, 0, ['-d', "extension=$tomorrow"]);
$command = implode(' ', array_map(escapeshellarg(...), [
    PHP_BINARY, ...$arguments, Lab::file('later.php'), realpath(__DIR__ . '/../lab/lab.inc'),
    $config, substr($a, 6), substr($b, 6),
]));
echo shell_exec("$command 2>&1");
foreach ($ports as $i => $port) {
    echo "-- node-$i\n";
    $words = array_map(fn ($line) => strstr($line, ' '), lab_commands($port));
    echo str_replace([$a, $b], ['later:A', 'later:B'], implode("\n", $words)), "\n";
}
?>
--EXPECT--
one key: [[1],[60],[1]]
keys that are names: [1]
pipeline: [[60],[60]]
every node: ["node-0","node-1"]
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::vCard() is not supported; OneHop does not know this method, and its parameters do not show which of them are keys; use rawCommand()
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::vLinks() is not supported; OneHop does not know this method, and its parameters do not show which of them are keys; use rawCommand()
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::nobodyKnows() is not supported; OneHop does not know this method with these parameters, and no command has its name; use rawCommand()
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::shutdown() is not supported; it would stop the whole fleet: send it to the node you mean with onNode, or stop its service
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::nobodyKnows() is not supported: the command was not sent; OneHop does not know this method with these parameters, and no command has its name; use rawCommand()
ArgumentCountError: OneHop\Redis::hExpire() expects exactly 3 arguments, 0 given
-- node-0
 HEXPIRE later:A 60 f g
 MSETEX later:A 1
 HTTL later:A f
 HTTL later:A h
-- node-1
 HTTL later:B f
 VISMEMBER later:B e
 HTTL later:B g
 HTTL later:A h
