--TEST--
A configuration is used once its password file exists; a file that disappears later is reported
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$port = lab_redis('--requirepass', 'secret');
$script = <<<'PHP'
<?php
[, $config, $password, $log, $port] = $argv;
ini_set('error_log', $log);
$put = static function (string $file, string $content): void {
    file_put_contents("$file.new", $content);
    chmod("$file.new", 0600);
    rename("$file.new", $file);
};
$directives = static fn (string $more) => $put(
    $config,
    "alpha:\n  engine: redis\n  $more\n  servers:\n    - 127.0.0.1:$port one\n",
);
$directives('redis_auth: secret');
$redis = new OneHop\Redis('alpha', $config);
$status = static fn () => OneHop\Topology::status()[0];
/**
 * Calls until the status is $ok, and prints the timeouts that an old client and a new one use then.
 */
$await = static function (string $what, bool $ok) use ($redis, $config, $status): void {
    for ($end = microtime(true) + 30; microtime(true) < $end; usleep(20000)) {
        $redis->set('key', 'value');
        if ($status()['config']['ok'] === $ok) {
            break;
        }
    }
    /* The next looks at the files must change nothing. */
    for ($end = microtime(true) + 2.2; microtime(true) < $end; usleep(20000)) {
        $redis->set('key', 'value');
    }
    $new = new OneHop\Redis('alpha', $config);
    echo "$what: ", $redis->getTimeout(), ' ', $new->getTimeout(), ', generation ',
        $status()['generation'], ', ', $status()['config']['error'] ?? 'ok', "\n";
};
$directives("timeout: 37777\n  redis_auth_file: $password");
$await('without the password file', false);
$put($password, 'secret');
$await('with it', true);
unlink($password);
$await('the password file is away', false);
$put($password, 'secret');
$await('the password file is back', true);
unlink($password);
$await('the password file is away', false);
$lines = preg_replace('/^\[.*?\] /m', '', file_get_contents($log));
echo str_replace([$password, $config], ['FILE', 'CONFIG'], $lines);
PHP;
foreach (['4M', '0'] as $memory) {
    echo "-- onehop.shared_memory = $memory\n";
    $arguments = array_map(Lab::file(...), ["$memory.yml", "password-$memory", "$memory.log"]);
    $said = lab_run($script, [...$arguments, (string) $port], settings: [
        'onehop.shared_memory' => $memory, 'log_errors' => '1', 'display_errors' => '0',
    ]);
    echo str_replace($arguments[1], 'FILE', $said);
}
?>
--EXPECT--
-- onehop.shared_memory = 4M
without the password file: 2 2, generation 1, Password file FILE: No such file or directory
with it: 37.777 37.777, generation 2, ok
the password file is away: 37.777 37.777, generation 2, Password file FILE: No such file or directory
the password file is back: 37.777 37.777, generation 2, ok
the password file is away: 37.777 37.777, generation 2, Password file FILE: No such file or directory
OneHop: Password file FILE: No such file or directory; the configuration read before stays in use
OneHop: CONFIG or its password file changed: 0.0 % of the keys of server pool alpha move (generation 2)
OneHop: Password file FILE: No such file or directory; the configuration read before stays in use
OneHop: Password file FILE: No such file or directory; the configuration read before stays in use
-- onehop.shared_memory = 0
without the password file: 2 2, generation 1, Password file FILE: No such file or directory
with it: 37.777 37.777, generation 2, ok
the password file is away: 37.777 37.777, generation 2, Password file FILE: No such file or directory
the password file is back: 37.777 37.777, generation 2, ok
the password file is away: 37.777 37.777, generation 2, Password file FILE: No such file or directory
OneHop: Password file FILE: No such file or directory; the configuration read before stays in use
OneHop: CONFIG or its password file changed: 0.0 % of the keys of server pool alpha move (generation 2)
OneHop: Password file FILE: No such file or directory; the configuration read before stays in use
OneHop: Password file FILE: No such file or directory; the configuration read before stays in use
