--TEST--
One log line for all workers says that a node is down or ejected, and one that it is back
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

const WORKERS = 6;
$log = Lab::file('php.log');
$page = lab_fpm(['log_errors' => '1', 'error_log' => $log], WORKERS);
$script = <<<'PHP'
<?php
$answered = 0;
for ($end = microtime(true) + $_GET['seconds']; microtime(true) < $end; usleep(1000)) {
    try {
        (new OneHop\Redis('alpha', $_GET['config']))->set($_GET['key'], 1);
        $answered++;
    } catch (OneHop\Exception) {
    }
}
echo $answered;
PHP;
/** The new lines of the log, without their times. */
$told = static function () use ($log): array {
    clearstatcache();
    $lines = @file($log, FILE_IGNORE_NEW_LINES) ?: [];
    @unlink($log);
    return array_map(
        static fn ($line) => preg_replace(
            ['/^\[[^]]*\] /', '/\d+\.\d s/', '/127\.0\.0\.1:\d+/'],
            ['', 'N s', 'ADDRESS'],
            $line,
        ),
        $lines,
    );
};
$until = static function (string $what, callable $is) use ($page): void {
    for ($end = microtime(true) + 60; !$is();) {
        microtime(true) < $end ?: throw new Error($what);
    }
};

foreach ([
    'rests' => [],
    'is ejected' => ['auto_eject_hosts' => 'true', 'server_retry_timeout' => 1000],
] as $what => $directives) {
    echo "-- a node that $what\n";
    [$port, $id] = lab_redis_process();
    $config = lab_config(
        ['127.0.0.1:' . lab_redis() . ':1 well', "127.0.0.1:$port:1 sick"],
        $directives,
    );
    $ask = static fn (float $seconds): array => $page(
        $script,
        ['config' => $config, 'key' => lab_key_of_each($config)['sick'], 'seconds' => $seconds],
        WORKERS,
    );
    $ask(0.2);
    echo 'up: ', implode("\n", $told()), "\n";
    Lab::stop($id);
    $ask(1.6); /* Meanwhile attempts fail, or the node returns and is ejected again. */
    lab_redis_at($port);
    $plain = lab_plain($port);
    $until('it is not back', static function () use ($ask, $plain): bool {
        $ask(0.3);
        return $plain->dbSize() === 1;
    });
    foreach ($told() as $line) {
        echo preg_replace(
            '/: Connection (closed by the node|refused while connecting|reset by peer);/',
            ': CAUSE;',
            $line,
        ), "\n";
    }
}
echo "-- a script, with a configuration that has a password\n";
$config = lab_config([Lab::port()], ['redis_auth' => 'secret']);
$script = '
    for ($i = 0; $i < 3; $i++) {
        try {
            (new OneHop\Redis("alpha", $argv[1]))->get("key");
        } catch (OneHop\NodeDown) {
            echo "down\n";
        }
    }';
foreach (['1', '0'] as $says) {
    echo "log_errors = $says\n", preg_replace(
        '/127\.0\.0\.1:\d+/',
        'ADDRESS',
        lab_run("<?php $script", [$config], settings: ['log_errors' => $says]),
    );
}
?>
--EXPECT--
-- a node that rests
up: 
OneHop: node sick (ADDRESS) of server pool alpha is down: CAUSE; its keys fail until it answers again
OneHop: node sick (ADDRESS) of server pool alpha is back after N s
-- a node that is ejected
up: 
OneHop: node sick (ADDRESS) of server pool alpha is ejected: CAUSE; its keys move to other nodes for N s
OneHop: node sick (ADDRESS) of server pool alpha is in again after N s, and its keys with it
-- a script, with a configuration that has a password
log_errors = 1
OneHop: node node-0 (ADDRESS) of server pool alpha is down: Connection refused while connecting; its keys fail until it answers again
down
down
down
log_errors = 0
down
down
down
