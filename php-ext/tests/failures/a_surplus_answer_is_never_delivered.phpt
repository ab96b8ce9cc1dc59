--TEST--
A surplus answer is never delivered, and its connection is not used again
--DESCRIPTION--
No second try: it looks for replies of other commands.
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

function config_of(string $script): string
{
    $port = lab_node($script, ['directory' => Lab::$directory]);
    return lab_config(["127.0.0.1:$port:1 odd"]);
}

function pool_of(string $script): OneHop\Redis
{
    return new OneHop\Redis('alpha', config_of($script));
}

/*
 * Sends one more answer as soon as the first one has been read, and reports that. So the answer has
 * arrived, however busy the machine is.
 */
$more = '
    for words in commands():
        value("value of " + words[1])
        until(lambda: os.path.exists(f"{test.directory}/{words[1]}-read"))
        value("too many")
        open(f"{test.directory}/{words[1]}-sent", "w").close()';
$let_come = static function (string $key): void {
    touch(Lab::file("$key-read"));
    while (!file_exists(Lab::file("$key-sent"))) {
    }
};
$tell = static function (array $wrong): void {
    echo $wrong ? 'wrong: ' . implode(', ', array_slice($wrong, 0, 5)) : 'only right answers', "\n";
};

echo "-- two answers together\n";
$redis = pool_of('
    for words in commands():
        reply("+first " + words[1], "+second " + words[1])');
lab_tell(fn () => $redis->get('a'));
lab_tell(fn () => $redis->get('b'));

echo "-- a second answer a little later, and the next command immediately\n";
$redis = pool_of($more);
$wrong = [];
for ($i = 0; $i < 50; $i++) {
    $value = $i % 2 ? $redis->pipeline()->get("key-$i")->exec()[0] : $redis->get("key-$i");
    $value === "value of key-$i" || $wrong[] = $value;
    $let_come("key-$i");
}
$tell($wrong);

echo "-- and the next request immediately, in the same worker or another one\n";
$page = lab_fpm([], 2);
$config = config_of($more);
$script = <<<'PHP'
<?php
$key = "page-$_GET[number]-" . getmypid() . '-' . hrtime(true);
$value = (new OneHop\Redis('alpha', $_GET['config']))->get($key);
touch("$_GET[directory]/$key-read");
while (!file_exists("$_GET[directory]/$key-sent")) {
}
echo $value === "value of $key" ? '' : $value;
PHP;
$wrong = [];
for ($i = 0; $i < 10; $i++) {
    $wrong = [...$wrong, ...array_filter(
        $page($script, ['config' => $config, 'directory' => Lab::$directory, 'number' => $i], 6),
    )];
}
$tell($wrong);
?>
--EXPECT--
-- two answers together
OneHop\ProtocolViolation, node odd, may have executed: true
  The node violated the protocol (a reply that was not asked for), node odd (127.0.0.1:PORT), server pool alpha: the command may have executed; check what listens at that address
OneHop\ProtocolViolation, node odd, may have executed: true
  The node violated the protocol (a reply that was not asked for), node odd (127.0.0.1:PORT), server pool alpha: the command may have executed; check what listens at that address
-- a second answer a little later, and the next command immediately
only right answers
-- and the next request immediately, in the same worker or another one
only right answers
