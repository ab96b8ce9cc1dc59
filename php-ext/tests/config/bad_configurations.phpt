--TEST--
A bad configuration is refused with file, line and reason; an unknown pool with the list of pools
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
        echo preg_match($form, $refused->getMessage()), "\n";
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
1
1
1
1
OneHop\Redis from onehop.config
a failed constructor leaves an object that says so
Error: OneHop\Redis has not called the constructor of OneHop\Redis
Error: OneHop\Redis has not called the constructor of OneHop\Redis
Error: OneHop\Redis has not called the constructor of OneHop\Redis
