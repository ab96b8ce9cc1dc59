--TEST--
Each followed file is read again until reading is allowed: configuration, password and TLS files
--DESCRIPTION--
All files are replaced at once by files that nobody may read. Then one file after another gets the
right to be read. PHP runs without two capabilities, so even root needs that right.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/../lab/tls.inc';

foreach (['old', 'new'] as $age) {
    lab_certificate("node-$age", ca: "ca-$age");
    lab_certificate("client-$age", ca: "ca-$age");
}
$tls = Lab::port();
$port = lab_redis(...lab_tls_options($tls, 'node-old', 'ca-old'));
$script = <<<'PHP'
<?php
[, $folder, $port, $tls] = $argv;
ini_set('error_log', "$folder/log");
$file = static fn (string $name): string => "$folder/live-$name";
$put = static function (string $name, string $content, int $mode) use ($file): void {
    file_put_contents($file('beside'), $content);
    chmod($file('beside'), $mode);
    rename($file('beside'), $file($name));
};
$put_all = static function (string $age, int $timeout, int $mode) use ($put, $folder, $file, $tls) {
    $put('key', file_get_contents("$folder/client-$age.key.pem"), $mode);
    $put('cert', file_get_contents("$folder/client-$age.pem"), $mode);
    $put('ca', file_get_contents("$folder/ca-$age.pem"), $mode);
    $put('password', $age, $mode);
    $put('config', "alpha:\n  engine: redis\n  timeout: $timeout\n  tls: true\n"
        . "  redis_auth_file: {$file('password')}\n  tls_ca_cert_file: {$file('ca')}\n"
        . "  tls_cert_file: {$file('cert')}\n  tls_key_file: {$file('key')}\n"
        . "  servers: [127.0.0.1:$tls]\n", $mode);
};
$admin = new Redis();
$admin->connect('127.0.0.1', (int) $port);
$admin->rawCommand('ACL', 'SETUSER', 'default', 'resetpass', '>old', '>new');
$admin->rawCommand('CONFIG', 'SET', 'tls-auth-clients', 'yes');
$put_all('old', 30000, 0400);
$redis = new OneHop\Redis('alpha', $file('config'));
var_dump($redis->set('key', 'value'));
/** Opens a new connection and sets a value. */
$is_served = static function () use ($admin, $redis, &$said): bool {
    $admin->rawCommand('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    usleep(20000);
    try {
        return $redis->set('key', 'value');
    } catch (OneHop\Exception $failure) {
        $said = $failure->getMessage();
        return false;
    }
};
$is_refused = static fn (string $name): bool => (bool) preg_match(
    "~(live-$name|tls_{$name}_(cert_)?file): .*the (files|configuration read) before ~",
    (string) @file_get_contents("$folder/log"),
);
$put_all('new', 37777, 0);
$left = ['config', 'password', 'ca', 'cert', 'key'];
for ($end = microtime(true) + 30; $left && $is_served() && microtime(true) < $end;) {
    $refused = array_filter($left, $is_refused);
    if ($refused === $left) { /* Only the last file is left. */
        $admin->rawCommand('ACL', 'SETUSER', 'default', 'resetpass', '>new');
        $admin->rawCommand('CONFIG', 'SET', 'tls-ca-cert-file', "$folder/ca-new.pem",
            'tls-cert-file', "$folder/node-new.pem", 'tls-key-file', "$folder/node-new.key.pem");
    } elseif (current($refused) === 'key') {
        continue;
    }
    foreach ($refused as $name) {
        chmod($file($name), 0400);
    }
    $left = array_values(array_diff($left, $refused));
}
echo 'never refused, or not served meanwhile: ', implode(' ', $left) ?: 'none', "\n";
for ($end = microtime(true) + 30; !($isNew = $is_served()) && microtime(true) < $end;);
echo 'in use: ', $isNew ? 'all that are new' : $said, "\n";
echo $redis->getTimeout(), "\n";
$lines = preg_replace('/^\[.*?\] /m', '', file($folder . '/log'));
sort($lines);
echo implode($lines);
PHP;
$capabilities = '-dac_override,-dac_read_search';
$said = lab_run($script, [Lab::$directory, (string) $port, (string) $tls], [
    'setpriv', "--bounding-set=$capabilities", "--inh-caps=$capabilities",
], ['log_errors' => '1', 'display_errors' => '0']);
echo str_replace(Lab::$directory, 'DIRECTORY', $said);
?>
--EXPECT--
bool(true)
never refused, or not served meanwhile: none
in use: all that are new
37.777
OneHop: DIRECTORY/live-config or its password file changed: 0.0 % of the keys of server pool alpha move (generation 2)
OneHop: Configuration DIRECTORY/live-config: Permission denied; the configuration read before stays in use
OneHop: Password file DIRECTORY/live-password: Permission denied; the configuration read before stays in use
OneHop: The TLS options are not valid: tls_ca_cert_file: Permission denied; the files before stay in use
OneHop: The TLS options are not valid: tls_cert_file: Permission denied; the files before stay in use
OneHop: The TLS options are not valid: tls_key_file: Permission denied; the files before stay in use
