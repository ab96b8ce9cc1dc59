--TEST--
A bad configuration is refused with file, line and reason; a text is not shown as a path
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$file = Lab::file('bad.yml');
$try = function (string $text, string $pool = 'alpha') use ($file) {
    file_put_contents($file, $text);
    lab_tell(fn () => new OneHop\Redis($pool, $file));
};
lab_tell(fn () => new OneHop\Redis('alpha'));
lab_tell(fn () => new OneHop\Redis('alpha', Lab::file('missing.yml')));
lab_tell(fn () => new OneHop\Redis('alpha', Lab::$directory));
lab_tell(fn () => new OneHop\Redis('alpha', "nul\0byte"));
$try('');
$try("alpha:\n  listen: 127.0.0.1:1\n  redis: yes\n");
$try("alpha:\n  listen: 127.0.0.1:1\n  servers:\n   - 127.0.0.1:1:1\n");
$try(
    "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  servers:\n   - 127.0.0.1:1:1\n"
        . "beta:\n  listen: 127.0.0.1:2\n  servers:\n   - 127.0.0.1:1:1\n",
    "nope\n",
);

echo "a path is escaped and cut, never in the middle of a byte\n";
lab_tell(fn () => new OneHop\Redis('alpha', Lab::file("line\x07\x1b[1m.yml")));
file_put_contents(Lab::file("\u{e9}\n.yml"), 'alpha: 1');
lab_tell(fn () => new OneHop\Redis('alpha', Lab::file("\u{e9}\n.yml")));
for ($i = 0; $i < 4; $i++) {
    try {
        new OneHop\Redis('alpha', '/' . str_repeat('x', $i) . str_repeat("\u{e9}", 125));
    } catch (OneHop\ConfigInvalid $refused) {
        $form = '~^Configuration /x*(\\\\x[0-9a-f]{2})+: [A-Z][a-z ]+; correct [ -\~]+$~';
        lab_show('form of the message', preg_match($form, $refused->getMessage()));
    }
}

ini_set('onehop.config', lab_config([1]));
$redis = new OneHop\Redis('alpha');
echo get_class($redis), " from onehop.config\n";

echo "a failed constructor leaves an object that says so\n";
$redis = (new ReflectionClass(OneHop\Redis::class))->newInstanceWithoutConstructor();
lab_tell(fn () => $redis->get('x'));
lab_tell(fn () => $redis->setOption(Redis::OPT_PREFIX, 'x'));
lab_tell(fn () => $redis->exec());

echo "a configuration in one line is a text; in place of a path or a name it is not shown\n";
$server = '127.0.0.1:' . lab_redis();
$json = json_encode(['alpha' => [
    'engine' => 'redis', 'redis_auth' => 'hidden', 'servers' => [$server],
]]);
$yaml = "alpha: {engine: redis, redis_auth: hidden, servers: ['$server']}";
$urls = '# https://u:hidden@h';

$try_text = static function (string $title, string $class, string ...$arguments): void {
    try {
        $made = new $class(...$arguments);
        $said = $made instanceof Redis ? $made->set('k', 'v') : $made->locate('k')->index;
    } catch (Throwable $failure) {
        $said = $failure->getMessage();
        echo str_contains($said, 'hidden') ? 'SHOWN ' : '';
        $said = str_replace(getcwd(), 'DIRECTORY', $said);
    }
    lab_show($title, $said);
};
foreach ([OneHop\Redis::class, OneHop\Topology::class] as $class) {
    echo "$class\n";
    $try_text('JSON', $class, 'alpha', $json);
    $try_text('flow YAML', $class, 'alpha', $yaml);
    $try_text('a URL in its middle', $class, 'alpha', str_replace(
        'redis_auth: hidden',
        'redis_auth: "a://hidden"',
        $yaml,
    ));
    $try_text('with a comment', $class, 'alpha', "$urls\n$yaml");
    $try_text('a URL with a brace', $class, 'alpha', 'redis://:hid{den: hidden@h:1');
    $try_text('behind a slash', $class, 'alpha', "/$json");
    $try_text('lines behind a slash', $class, 'alpha', "/alpha:\n  redis_auth: hidden");
    $try_text('in a DSN', $class, "onehop:///$json?pool=alpha");
    $try_text('as a name', $class, str_replace('engine', 'redis_auth: hidden', $json), $yaml);
    $try_text('a path', $class, 'alpha', 'no/such{file}.yml');
}
$texts = [
    "/alpha: {engine: redis, servers: ['$server']}",
    "/alpha:\r  engine: redis\r  servers:\r  - $server",
];
foreach ($texts as $text) {
    OneHop\Topology::check($text);
    lab_show('a pool whose name begins with a slash',
        OneHop\Topology::fromText('/alpha', $text)->locate('k')->index);
}
ini_set('open_basedir', getcwd());
$try_text('outside of open_basedir', OneHop\Redis::class, 'alpha', "/$json");
?>
--EXPECT--
OneHop\ConfigInvalid, node none, may have executed: false
  No configuration was given; set onehop.config in php.ini, or pass a file
OneHop\ConfigInvalid, node none, may have executed: false
  Configuration DIRECTORY/missing.yml: No such file or directory; correct the file, or name another one
OneHop\ConfigInvalid, node none, may have executed: false
  Configuration DIRECTORY: Is a directory; correct the file, or name another one
ValueError: OneHop\Redis::__construct(): Argument #2 ($path) must not contain any null bytes
OneHop\ConfigInvalid, node none, may have executed: false
  Configuration DIRECTORY/bad.yml, line 1: there is no server pool; correct the file, or name another one
OneHop\ConfigInvalid, node none, may have executed: false
  Configuration DIRECTORY/bad.yml, line 3: directive "redis" is not "true" or "false": "yes" (did you mean "true"?); correct the file, or name another one
OneHop\ConfigInvalid, node none, may have executed: false
  Server pool alpha speaks memcached; set "redis: true" if its servers speak redis
OneHop\ConfigInvalid, node none, may have executed: false
  There is no server pool nope... in DIRECTORY/bad.yml, only alpha, beta; name one of these
a path is escaped and cut, never in the middle of a byte
OneHop\ConfigInvalid, node none, may have executed: false
  Configuration DIRECTORY/line\x07\x1b[1m.yml: No such file or directory; correct the file, or name another one
OneHop\ConfigInvalid, node none, may have executed: false
  Configuration DIRECTORY/\xc3\xa9\x0a.yml, line 1: server pool "alpha" is not a mapping of directives; correct the file, or name another one
form of the message: 1
form of the message: 1
form of the message: 1
form of the message: 1
OneHop\Redis from onehop.config
a failed constructor leaves an object that says so
Error: OneHop\Redis has not called the constructor of OneHop\Redis
Error: OneHop\Redis has not called the constructor of OneHop\Redis
Error: OneHop\Redis has not called the constructor of OneHop\Redis
a configuration in one line is a text; in place of a path or a name it is not shown
OneHop\Redis
JSON: true
flow YAML: true
a URL in its middle: true
with a comment: true
a URL with a brace: "Expected the name of a server pool or the path of a file, but got a URL (not shown, because it may contain a password); name a server pool of the configuration, and its file; PHP also accepts onehop://"
behind a slash: "Configuration /...: No such file or directory; correct the file, or name another one"
lines behind a slash: "Configuration /alpha:...: No such file or directory; correct the file, or name another one"
in a DSN: "Configuration /...: No such file or directory; correct the file, or name another one"
as a name: "There is no server pool ... in the configuration, only alpha; name one of these"
a path: "Configuration, line 1: the document is not a mapping of server pools; correct the file, or name another one"
OneHop\Topology
JSON: 0
flow YAML: 0
a URL in its middle: 0
with a comment: 0
a URL with a brace: "Expected the name of a server pool or the path of a file, but got a URL (not shown, because it may contain a password); name a server pool of the configuration, and its file; PHP also accepts onehop://"
behind a slash: "Configuration /...: No such file or directory; correct the file, or name another one"
lines behind a slash: "Configuration /alpha:...: No such file or directory; correct the file, or name another one"
in a DSN: "Configuration /...: No such file or directory; correct the file, or name another one"
as a name: "There is no server pool ... in the configuration, only alpha; name one of these"
a path: "Configuration, line 1: the document is not a mapping of server pools; correct the file, or name another one"
a pool whose name begins with a slash: 0
a pool whose name begins with a slash: 0
outside of open_basedir: "Configuration /...: open_basedir does not allow it; correct the file, or name another one"
