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
  There is no configuration; set onehop.config in php.ini or name a file
OneHop\ConfigInvalid, node none, may have executed: false
  Configuration DIRECTORY/missing.yml: No such file or directory; correct the file, or name another one
OneHop\ConfigInvalid, node none, may have executed: false
  Configuration DIRECTORY: Is a directory; correct the file, or name another one
ValueError: OneHop\Redis::__construct(): Argument #2 ($path) must not contain any null bytes
OneHop\ConfigInvalid, node none, may have executed: false
  Configuration DIRECTORY/bad.yml, line 1: there is no server pool; correct the file, or name another one
OneHop\ConfigInvalid, node none, may have executed: false
  Configuration DIRECTORY/bad.yml, line 3: directive "redis" is not "true" or "false": "yes"; correct the file, or name another one
OneHop\ConfigInvalid, node none, may have executed: false
  Server pool alpha speaks memcached; set "redis: true" if its servers do
OneHop\ConfigInvalid, node none, may have executed: false
  There is no server pool nope\x0a in DIRECTORY/bad.yml, only alpha, beta; name one of these
OneHop\Redis from onehop.config
a failed constructor leaves an object that says so
Error: OneHop\Redis has not called the constructor of OneHop\Redis
Error: OneHop\Redis has not called the constructor of OneHop\Redis
Error: OneHop\Redis has not called the constructor of OneHop\Redis
