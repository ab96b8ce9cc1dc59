--TEST--
A php-fpm pool that lacks a variable keeps its configuration, and does not block the others
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$port = lab_redis();
$write = static function (int $timeout, string $database) use ($port): void {
    file_put_contents(Lab::file('new.yml'), <<<YML
        alpha:
          engine: redis
          timeout: $timeout
          database: $database
          servers:
            - 127.0.0.1:$port
        YML);
    rename(Lab::file('new.yml'), Lab::file('n.yml'));
};
$write(31000, '0');
foreach (['www' => "env[DATABASE] = 1\n", 'shop' => ''] as $name => $variables) {
    $pools[] = "[$name]\nlisten = " . Lab::file("$name.sock") . "\npm = static\n"
        . "pm.max_children = 2\ncatch_workers_output = yes\n$variables"
        . 'php_admin_value[onehop.config] = ' . Lab::file('n.yml') . "\n"
        . "php_admin_value[display_errors] = 0\nphp_admin_value[log_errors] = 1\n"
        . 'php_admin_value[error_log] = ' . Lab::file("$name.log") . "\n";
}
file_put_contents(
    Lab::file('fpm.conf'),
    "[global]\nerror_log = " . Lab::file('fpm.log') . "\ndaemonize = no\n" . implode($pools),
);
lab_start_fpm();
file_put_contents(Lab::file('page.php'), '<?php
    isset($_GET["set"]) && putenv($_GET["set"]);
    $redis = new OneHop\Redis("alpha");
    $redis->ping();
    $config = array_column(OneHop\Topology::status(), "config")[0];
    echo round($redis->getTimeout() * 1000), $config["ok"] ? "" : " refused";');
/** What the workers of a pool answer. */
$ask = static function (string $pool, string $query = ''): string {
    Lab::await('unix://' . Lab::file("$pool.sock"));
    for ($i = 0; $i < 8; $i++) {
        $answer = (string) shell_exec(
            'SCRIPT_FILENAME=' . Lab::file('page.php') . " REQUEST_METHOD=GET QUERY_STRING=$query"
                . ' cgi-fcgi -bind -connect ' . Lab::file("$pool.sock") . ' 2>/dev/null',
        );
        $seen[explode("\r\n\r\n", $answer, 2)[1] ?? $answer] = true;
    }
    return "$pool: " . implode(', ', array_keys($seen)) . "\n";
};
/** Asks until all workers of a pool answer $expected. */
$settled = static function (string $pool, string $expected, string $query = '') use ($ask): void {
    for ($end = microtime(true) + 30; microtime(true) < $end; usleep(50000)) {
        $answer = $ask($pool, $query);
        if ($answer === "$pool: $expected\n") {
            break;
        }
    }
    echo $answer;
};
$settled('www', '31000');
$settled('shop', '31000');

echo "only www has the variable, and shop calls first\n";
$write(31001, '${DATABASE}');
usleep(1100000);
echo $ask('shop');
$settled('www', '31001');
usleep(1100000);
$settled('shop', '31000');
$settled('www', '31001');

echo "a script of shop sets it, as dotenv does\n";
$settled('shop', '31001', 'set=DATABASE=2');

echo "no pool has the next variable\n";
$write(31002, '${NOWHERE}');
usleep(1100000);
$settled('www', '31001 refused');
$settled('shop', '31001 refused', 'set=DATABASE=2');
$write(31003, '0');
usleep(1100000);
$settled('www', '31003');
$settled('shop', '31003');
foreach (['shop', 'www'] as $pool) {
    $log = file_get_contents(Lab::file("$pool.log"));
    preg_match_all('/needs the environment variable "(\w+)"/', $log, $told);
    $counts = array_count_values($told[1]);
    ksort($counts);
    lab_show("$pool.log", array_keys($counts));
    lab_show('at most one line of each worker', max($counts) <= 2);
}
?>
--EXPECT--
www: 31000
shop: 31000
only www has the variable, and shop calls first
shop: 31000 refused
www: 31001
shop: 31000
www: 31001
a script of shop sets it, as dotenv does
shop: 31001
no pool has the next variable
www: 31001 refused
shop: 31001 refused
www: 31003
shop: 31003
shop.log: ["DATABASE","NOWHERE"]
at most one line of each worker: true
www.log: ["NOWHERE"]
at most one line of each worker: true
