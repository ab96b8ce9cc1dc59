--TEST--
A configuration in one line is a text, and a text that stands for a path or a name is not shown
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$server = '127.0.0.1:' . lab_redis();
$json = json_encode(['alpha' => [
    'engine' => 'redis', 'redis_auth' => 'hidden', 'servers' => [$server],
]]);
$yaml = "alpha: {engine: redis, redis_auth: hidden, servers: ['$server']}";
$urls = '# https://u:hidden@h';

$try = static function (string $title, string $class, string ...$arguments): void {
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
    $try('JSON', $class, 'alpha', $json);
    $try('flow YAML', $class, 'alpha', $yaml);
    $try('a URL in its middle', $class, 'alpha', str_replace('redis_auth: hidden',
        'redis_auth: "a://hidden"', $yaml));
    $try('with a comment', $class, 'alpha', "$urls\n$yaml");
    $try('a URL with a brace', $class, 'alpha', 'redis://:hid{den: hidden@h:1');
    $try('behind a slash', $class, 'alpha', "/$json");
    $try('lines behind a slash', $class, 'alpha', "/alpha:\n  redis_auth: hidden");
    $try('in a DSN', $class, "onehop:///$json?pool=alpha");
    $try('as a name', $class, str_replace('engine', 'redis_auth: hidden', $json), $yaml);
    $try('a path', $class, 'alpha', 'no/such{file}.yml');
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
$try('outside of open_basedir', OneHop\Redis::class, 'alpha', "/$json");
?>
--EXPECT--
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
