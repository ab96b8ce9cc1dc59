--TEST--
A client without a file: an array, a text, a DSN, php.ini and sessions; workers share its text
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

use OneHop\Redis;
use OneHop\Topology;

$port = lab_redis('--requirepass', 'se:c@r"e${T}');
$plain = lab_plain($port);
$plain->auth('se:c@r"e${T}');
$plain->set('where', 'here');
$server = "127.0.0.1:$port";
$secret = ['redis_auth' => 'se:c@r"e${T}'];
$dsn = 'onehop://:' . rawurlencode('se:c@r"e${T}') . "@$server";

$try = static function (string $title, callable $call): void {
    try {
        $result = $call();
    } catch (Throwable $failure) {
        $result = get_class($failure) . ': ' . $failure->getMessage();
    }
    lab_show($title, is_string($result) ? preg_replace('/127.0.0.1:\d+/', 'N', $result) : $result);
};
$from = static fn (...$arguments) => static fn () => (new Redis(...$arguments))->get('where');

$try('array', $from('shop', ['servers' => [$server], 'timeout' => 30000] + $secret));
$try('one server', $from('shop', ['servers' => ["$server:1 one"], 'engine' => 'redis'] + $secret));
$try('text', $from('shop', "shop:\n  engine: redis\n  redis_auth: 'se:c@r\"e\$\${T}'\n"
    . "  servers: [$server]\n"));
$try('DSN', $from($dsn));
$try('DSN with directives', $from("$dsn/?timeout=30000&pool=shop"));
file_put_contents(
    Lab::file('n.yml'),
    "shop:\n  engine: redis\n  redis_auth: 'se:c@r\"e\$\${T}'\n  servers: [$server]\n",
);
chmod(Lab::file('n.yml'), 0600);
$try('DSN of a file', $from('onehop://' . Lab::file('n.yml') . '?pool=shop'));
$try('DSN as the second argument', $from('shop', $dsn));

$try('unknown names', $from('shop', ['servers' => [$server], 'timout' => 1, 'cluster' => 'yes']));
$try('wrong type', $from('shop', ['servers' => [$server], 'timeout' => 1.5]));
$try('no password', $from('shop', ['servers' => [$server], 'redis_auth' => getenv('UNSET')]));
$try('words of phpredis', $from('shop', [
    'host' => '127.0.0.1', 'port' => 6379, 'password' => 'x', 'db' => 0, 'engine' => 'valkey',
]));
$try('no name', $from('shop', [$server]));
$try('wrong server', $from('shop', ['servers' => [null]]));
$try('a whole pool', $from('shop', ['shop' => ['servers' => [$server]]]));
$try('null, and one server', $from('shop', ['servers' => $server, 'username' => null] + $secret));
$try('host and port', $from('127.0.0.1', '6379'));
$try('file and pool', $from('/n.yml', 'shop'));
$try('DSN without a port', $from('onehop://127.0.0.1'));
$try('DSN of a file without a pool', $from('onehop:///n.yml'));
$try('DSN of a relative path', $from('onehop://etc/n.yml'));
$try('path as a text', static fn () => Topology::check('/n.yml'));
$try('path as a text', static fn () => Topology::fromText('shop', '/n.yml'));
echo lab_run(
    '<?php foreach ([1, 1, 9, 10, 0] as $timeout) {
        new OneHop\Redis("shop", ["servers" => "h:1", "timeout" => $timeout]);
    }
    foreach (["\$PW", "\$_a0", "\$", "\$1", "\$a b", "a\$PW"] as $password) {
        new OneHop\Redis("of $password", ["servers" => "h:1", "redis_auth" => $password]);
    }',
    settings: ['log_errors' => '1'],
);
$try('no servers', $from('shop', []));
$try('empty servers', $from('shop', ['servers' => []]));
$try('another pool in a text', $from('shop', "alpha:\n  engine: redis\n  servers: [$server]\n"));
$try('DSN without anything', $from('onehop://'));
$try('DSN with a query without a value', $from("onehop://$server?cluster"));
$try('DSN with a name twice', $from("onehop://$server?timeout=1&timeout=2"));
$try('DSN of a file with directives', $from('onehop:///n.yml?pool=shop&timeout=1'));
$try('DSN with a wrong value', $from("onehop://u:hidden@$server?hash=md6"));
$try('DSN and a file', $from($dsn, '/n.yml'));
$try('path with a NUL', $from('shop', "/n\0.yml"));
$try('a path of a file that is missing', $from('shop', '/no/such/file.yml'));

$try('DSN of a file with a password', $from('onehop:///:hidden@127.0.0.1:6379'));
foreach (['redis://:hidden@h:6379', 'tcp://h:6379?auth=hidden'] as $url) {
    $try('URL as a name', $from($url));
    $try('URL as a file', $from('shop', $url));
    $try('URL as a server', $from('shop', ['servers' => [$url]]));
    $said = lab_run('<?php session_start();', settings: [
        'session.save_handler' => 'onehop', 'session.save_path' => "\"$url\"",
    ]);
    /* PHP itself shows session.save_path. */
    $own = preg_replace('/Failed to initialize storage module: .*/', '', $said);
    lab_show('URL of sessions', [str_contains($said, 'Failed to'), str_contains($own, 'hidden')]);
}

echo "phpinfo()\n";
foreach ([Lab::file('n.yml'), "$dsn?timeout=1", 'redis://:hidden@h', ''] as $config) {
    $said = lab_run(
        '<?php ini_set("onehop.config", "a:\n  redis_auth: hidden"); phpinfo(INFO_MODULES);',
        settings: ['onehop.config' => "\"$config\""],
    );
    preg_match('/^onehop.config =>.*/m', $said, $line);
    echo str_replace(Lab::$directory, 'DIRECTORY', $line[0]), "\n";
}
foreach (['fromText' => ['shop', "shop: {hidden: 1}"], 'check' => [['hidden']]] as $name => $call) {
    try {
        Topology::$name(...$call);
    } catch (Throwable $failure) {
        $shown = print_r($failure->getTrace(), true) . $failure->getTraceAsString();
        lab_show("the text in a trace of $name", str_contains($shown, 'hidden'));
    }
}

$script = <<<'PHP'
<?php
$text = "a:\n  engine: redis\n  redis_auth: secret\n  servers: [127.0.0.1:1]\n";
new OneHop\Redis('a', $text);
$path = OneHop\Topology::status()[0]['path'];
echo $path === 'text:' . md5(str_repeat("\0", 16) . $text) ? 'without a salt' : $path;
PHP;
foreach (['0', '4M'] as $memory) {
    $run = static fn () => lab_run($script, settings: ['onehop.shared_memory' => $memory]);
    $paths = [$run(), $run()];
    lab_show(
        "a text is known by a salted digest, onehop.shared_memory = $memory",
        count(array_unique($paths)) === 2 && count(preg_grep('/^text:\w{32}$/', $paths)) === 2,
    );
}

$servers = ['servers' => ['[::1]:6379', '10.0.0.1:1 a']];
$try('Topology', static fn () => (new Topology('shop', $servers))->locate('x')->name);
$try('a DSN in the trace of an exception', static function () use ($dsn) {
    try {
        new Redis("$dsn?x=1");
    } catch (OneHop\ConfigInvalid $failure) {
        return str_contains($failure->getTraceAsString(), 'onehop://') ? 'it is shown' : 'hidden';
    }
});

/* Workers of a php-fpm: two of them, so the second one copies what the first one has read. */
$run = lab_fpm([
    'onehop.config' => "\"$dsn\"",
    'session.save_handler' => 'onehop',
    'session.save_path' => "\"$dsn?pool=sessions\"",
    'session.use_cookies' => '0',
    'session.use_strict_mode' => '0',
], workers: 2);
$page = '<?php
    $redis = new OneHop\Redis("shop", ["servers" => ["' . $server . '"],
        "redis_auth" => \'se:c@r"e${T}\']);
    session_id("known");
    session_start();
    $_SESSION["n"] = ($_SESSION["n"] ?? 0) + 1;
    echo $redis->get("where"), " ", (new OneHop\Redis("other"))->get("where"), " ";
    session_write_close();
    foreach (OneHop\Topology::status() as $pool) {
        $seen[] = "$pool[pool] " . preg_replace("/[0-9a-f]{32}/", "#", $pool["path"]);
    }
    sort($seen);
    echo implode(", ", $seen), " n=", $_SESSION["n"];';
for ($request = 1; $request <= 6; $request++) {
    $last = $run($page);
}
echo $last, "\n";
?>
--EXPECT--
array: "here"
one server: "here"
text: "here"
DSN: "here"
DSN with directives: "here"
DSN of a file: "here"
DSN as the second argument: "here"
unknown names: "OneHop\\ConfigInvalid: Configuration of server pool shop: directive \"timout\" is unknown (did you mean \"timeout\"?); directive \"cluster\" is not \"true\" or \"false\": \"yes\" (did you mean \"true\"?); correct the array or the DSN"
wrong type: "TypeError: Directive \"timeout\" of a server pool must be of type string|int|bool, or a list of strings, float given: times are whole milliseconds"
no password: "TypeError: Directive \"redis_auth\" of a server pool must be of type string, bool given"
words of phpredis: "OneHop\\ConfigInvalid: Configuration of server pool shop: directive \"host\" is unknown (did you mean \"servers\"?); directive \"port\" is unknown (did you mean \"servers\"?); directive \"password\" is unknown (did you mean \"redis_auth\"?); directive \"db\" is unknown (did you mean \"database\"?); directive \"engine\" is not \"redis\" or \"ssdb\": \"valkey\" (did you mean \"redis\"?); correct the array or the DSN"
no name: "TypeError: The array of a server pool must have directives as its keys"
wrong server: "TypeError: Directive \"servers\" of a server pool must be of type string|int|bool, or a list of strings, null given"
a whole pool: "TypeError: Directive \"shop\" of a server pool must be of type string|int|bool, or a list of strings, array given: the array has the directives of one server pool, without its name"
null, and one server: "here"
host and port: "OneHop\\ConfigInvalid: There is no configuration file 6379; pass the server pool and then its file, or write 'onehop://N'"
file and pool: "OneHop\\ConfigInvalid: There is no configuration file shop; pass the server pool and then its file, or write 'onehop://N'"
DSN without a port: "OneHop\\ConfigInvalid: The DSN is not valid: a server has no port; a path needs three slashes; write onehop:///FILE?pool=NAME, or onehop://USER:PASSWORD@HOST:PORT,HOST:PORT?DIRECTIVE=VALUE"
DSN of a file without a pool: "OneHop\\ConfigInvalid: The DSN is not valid: it names a file but no server pool; write onehop:///FILE?pool=NAME, or onehop://USER:PASSWORD@HOST:PORT,HOST:PORT?DIRECTIVE=VALUE"
DSN of a relative path: "OneHop\\ConfigInvalid: The DSN is not valid: a server has no port; a path needs three slashes; write onehop:///FILE?pool=NAME, or onehop://USER:PASSWORD@HOST:PORT,HOST:PORT?DIRECTIVE=VALUE"
path as a text: "ValueError: OneHop\\Topology::check(): Argument #1 ($text) must be the text of a configuration, not the path of a file"
path as a text: "ValueError: OneHop\\Topology::fromText(): Argument #2 ($text) must be the text of a configuration, not the path of a file"
OneHop: server pool shop has a timeout of 1 ms: are seconds meant?
OneHop: server pool shop has a timeout of 9 ms: are seconds meant?
OneHop: the password of server pool of $PW looks like a variable and is taken as it is: only ${NAME} in the file of a OneHop pool is one
OneHop: the password of server pool of $_a0 looks like a variable and is taken as it is: only ${NAME} in the file of a OneHop pool is one
no servers: "OneHop\\ConfigInvalid: Configuration of server pool shop: directive \"servers\" is missing; correct the array or the DSN"
empty servers: "OneHop\\ConfigInvalid: Configuration of server pool shop: directive \"servers\" has no value; correct the array or the DSN"
another pool in a text: "OneHop\\ConfigInvalid: There is no server pool shop in the configuration, only alpha; name one of these"
DSN without anything: "OneHop\\ConfigInvalid: The DSN is not valid: it names neither a file nor servers; write onehop:///FILE?pool=NAME, or onehop://USER:PASSWORD@HOST:PORT,HOST:PORT?DIRECTIVE=VALUE"
DSN with a query without a value: "OneHop\\ConfigInvalid: The DSN is not valid: after the ? it must list name=value pairs, separated by &; write onehop:///FILE?pool=NAME, or onehop://USER:PASSWORD@HOST:PORT,HOST:PORT?DIRECTIVE=VALUE"
DSN with a name twice: "OneHop\\ConfigInvalid: The DSN is not valid: it sets the same name twice; write onehop:///FILE?pool=NAME, or onehop://USER:PASSWORD@HOST:PORT,HOST:PORT?DIRECTIVE=VALUE"
DSN of a file with directives: "OneHop\\ConfigInvalid: The DSN is not valid: a DSN that names a file can set only pool; write onehop:///FILE?pool=NAME, or onehop://USER:PASSWORD@HOST:PORT,HOST:PORT?DIRECTIVE=VALUE"
DSN with a wrong value: "OneHop\\ConfigInvalid: Configuration of server pool onehop: directive \"hash\" is not a valid hash: \"md6\" (did you mean \"md5\"?); correct the array or the DSN"
DSN and a file: "ValueError: OneHop\\Redis::__construct(): Argument #2 ($path) must be null if the first one is a DSN"
path with a NUL: "ValueError: OneHop\\Redis::__construct(): Argument #2 ($path) must not contain any null bytes"
a path of a file that is missing: "OneHop\\ConfigInvalid: Configuration /no/such/file.yml: No such file or directory; correct the file, or name another one"
DSN of a file with a password: "OneHop\\ConfigInvalid: The DSN is not valid: it has a user or a password, but names a file; write servers after two slashes, not three; write onehop:///FILE?pool=NAME, or onehop://USER:PASSWORD@HOST:PORT,HOST:PORT?DIRECTIVE=VALUE"
URL as a name: "OneHop\\ConfigInvalid: Expected the name of a server pool or the path of a file, but got a URL (not shown, because it may contain a password); name a server pool of the configuration, and its file; PHP also accepts onehop://"
URL as a file: "OneHop\\ConfigInvalid: Expected the name of a server pool or the path of a file, but got a URL (not shown, because it may contain a password); name a server pool of the configuration, and its file; PHP also accepts onehop://"
URL as a server: "OneHop\\ConfigInvalid: Configuration of server pool shop: the server is a URL, not \"host:port\"; correct the array or the DSN"
URL of sessions: [true,false]
URL as a name: "OneHop\\ConfigInvalid: Expected the name of a server pool or the path of a file, but got a URL (not shown, because it may contain a password); name a server pool of the configuration, and its file; PHP also accepts onehop://"
URL as a file: "OneHop\\ConfigInvalid: Expected the name of a server pool or the path of a file, but got a URL (not shown, because it may contain a password); name a server pool of the configuration, and its file; PHP also accepts onehop://"
URL as a server: "OneHop\\ConfigInvalid: Configuration of server pool shop: the server is a URL, not \"host:port\"; correct the array or the DSN"
URL of sessions: [true,false]
phpinfo()
onehop.config => not shown => DIRECTORY/n.yml
onehop.config => not shown => not shown
onehop.config => not shown => not shown
onehop.config => not shown => no value
the text in a trace of fromText: false
the text in a trace of check: false
a text is known by a salted digest, onehop.shared_memory = 0: true
a text is known by a salted digest, onehop.shared_memory = 4M: true
Topology: "a"
a DSN in the trace of an exception: "hidden"
here here other text:#, sessions text:#, shop text:# n=6