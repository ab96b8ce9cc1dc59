--TEST--
A password comes from a file of its own, and changes when that file changes
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$node = lab_redis('--requirepass', 'secret-1');
$admin = lab_plain($node);
$admin->auth('secret-1');
$file = Lab::file('password');
$put = static function (string $content, int $mode = 0600) use ($file): void {
    file_put_contents("$file.new", $content);
    chmod("$file.new", $mode);
    rename("$file.new", $file);
};
$config = lab_config(["127.0.0.1:$node:1 node"], ['redis_auth_file' => $file]);
$open = static fn () => new OneHop\Redis('alpha', $config);

echo "-- no such file\n";
lab_tell($open);
echo "-- bad files\n";
foreach (["\nsecret", str_repeat('secret', 2000), "secret\x01"] as $content) {
    $put($content);
    lab_tell($open);
}
unlink($file);
mkdir($file);
lab_tell($open);
rmdir($file);

echo "-- a good one\n";
$put("secret-1\nnot a part of it\n");
$redis = $open();
lab_tell(fn () => $redis->set('key', 'value'));

echo "-- a configuration in an array also follows the password file\n";
$text = new OneHop\Redis('alpha', ['servers' => ["127.0.0.1:$node"], 'redis_auth_file' => $file]);
lab_tell(fn () => $text->get('key'));

echo "-- another password\n";
$log = Lab::file('log');
ini_set('error_log', $log);
$admin->config('SET', 'requirepass', 'secret-2');
$put('secret-2');
usleep(1100000);
foreach ([$redis, $text] as $client) {
    $admin->rawCommand('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    lab_tell(fn () => $client->get('key'));
}

echo "-- a bad file changes nothing; the next file is one that every user may read\n";
$put('');
usleep(1100000);
lab_tell(fn () => $redis->get('key'));
$put("secret-2\n", 0644);
usleep(1100000);
lab_tell(fn () => $redis->get('key'));
echo preg_replace(
    ['/^\[.*?\] /m', '/text:[0-9a-f]{32}/'],
    ['', 'text:DIGEST'],
    str_replace([$file, $config], ['FILE', 'CONFIG'], file_get_contents($log)),
);

echo "-- a file that every user may read from the beginning\n";
ini_set('error_log', $exposed = Lab::file('exposed.log'));
$directives = ['redis_auth_file' => $file, 'timeout' => 31999];
$clients = [
    new OneHop\Redis('alpha', lab_config(["127.0.0.1:$node:1 node"], $directives)),
    new OneHop\Redis('alpha', ['servers' => ["127.0.0.1:$node"]] + $directives),
];
for ($look = 0; $look < 2; $look++) {
    usleep(1100000);
    foreach ($clients as $client) {
        $client->get('key');
    }
}
lab_show('lines', count(file($exposed)));

echo "-- open_basedir\n";
ini_set('open_basedir', dirname($config) . '/none:' . $config . ':' . __DIR__);
lab_tell(fn () => new OneHop\Redis('other', [
    'servers' => ["127.0.0.1:$node"], 'redis_auth_file' => $file,
]));
?>
--EXPECT--
-- no such file
OneHop\ConfigInvalid, node none, may have executed: false
  Password file DIRECTORY/password: No such file or directory; correct the file, or name another one with redis_auth_file
-- bad files
OneHop\ConfigInvalid, node none, may have executed: false
  Password file DIRECTORY/password: its first line is empty; correct the file, or name another one with redis_auth_file
OneHop\ConfigInvalid, node none, may have executed: false
  Password file DIRECTORY/password: it is larger than 8192 bytes; correct the file, or name another one with redis_auth_file
OneHop\ConfigInvalid, node none, may have executed: false
  Password file DIRECTORY/password: its first line has a character that is not allowed; correct the file, or name another one with redis_auth_file
OneHop\ConfigInvalid, node none, may have executed: false
  Password file DIRECTORY/password: Is a directory; correct the file, or name another one with redis_auth_file
-- a good one
value: true
-- a configuration in an array also follows the password file
value: "value"
-- another password
value: "value"
value: "value"
-- a bad file changes nothing; the next file is one that every user may read
value: "value"
value: "value"
OneHop: CONFIG or its password file changed: 0.0 % of the keys of server pool alpha move (generation 2)
OneHop: text:DIGEST or its password file changed: 0.0 % of the keys of server pool alpha move (generation 2)
OneHop: Password file FILE: its first line is empty; the configuration read before stays in use
OneHop: FILE holds a password, and every user of this machine may read it: take these rights away (chmod o=)
-- a file that every user may read from the beginning
lines: 2
-- open_basedir
OneHop\ConfigInvalid, node none, may have executed: false
  Password file DIRECTORY/password: open_basedir does not allow it; correct the file, or name another one with redis_auth_file
