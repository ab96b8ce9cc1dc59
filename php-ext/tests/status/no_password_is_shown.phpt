--TEST--
A password is in no message, log, dump, page or trace, and not in the memory of the host
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/tls.inc';

/* A part of every password, and of nothing else. PHP's dumps and traces do not cut it. */
const MARK = 'mArKeD';
$log = Lab::file('log');
$page = lab_fpm([
    'error_log' => $log, 'log_errors' => '1', 'display_errors' => '1', 'error_reporting' => '-1',
    'zend.exception_ignore_args' => '0', 'zend.exception_string_param_max_len' => '1000',
]);

/* Nodes that take the password, refuse it, do not know AUTH, are gone, hang, talk rubbish. */
$nodes = [
    'takes it' => lab_redis('--requirepass', MARK . '-password'),
    'refuses it' => lab_redis('--requirepass', 'another'),
    'knows no AUTH' => lab_redis('--rename-command', 'AUTH', ''),
    'is gone' => Lab::port(),
    'hangs' => lab_node('await_close()'),
    'speaks no RESP' => lab_node('send("HTTP/1.1 400 Bad Request\r\n\r\n")'),
    'speaks no TLS' => lab_redis(),
];

/* Where passwords come from. */
file_put_contents(Lab::file('password'), MARK . "-password\n");
chmod(Lab::file('password'), 0600);
$sources = [
    'the configuration' => ['redis_auth' => MARK . '-password'],
    'a file' => ['redis_auth_file' => Lab::file('password')],
    'the environment' => ['redis_auth' => "'\${SECRET}'", 'engine' => 'redis'],
    'a user' => ['redis_auth' => MARK . '-password', 'username' => 'default'],
];
lab_certificate('client');
lab_openssl(
    ...['ec', '-in', lab_pem('client.key'), '-aes256', '-passout', 'pass:other', '-out'],
    ...[lab_pem('locked.key')],
);
/* A call that never succeeds waits for the whole timeout. */
$tls = [
    'tls' => 'true', 'tls_ca_cert_file' => lab_pem('ca'), 'tls_cert_file' => lab_pem('client'),
    'tls_key_file' => lab_pem('locked.key'), 'tls_key_file_pass' => MARK . '-pass',
    'timeout' => 300,
];
$sentinel = ['sentinels' => '[127.0.0.1:' . $nodes['refuses it'] . ', 127.0.0.1:'
        . $nodes['knows no AUTH'] . ', 127.0.0.1:1]',
    'sentinel_username' => 'default', 'sentinel_password' => MARK . '-sentinel',
    'timeout' => 300];

$found = static function (string $where, string $text): bool {
    $place = stripos($text, MARK);
    $place === false || print "$where: " . substr($text, max(0, $place - 200), 300) . "\n";
    return $place !== false;
};
$count = $served = 0;
/* `$config` gets the port of a node, and returns what the page makes its clients from. */
$ask = static function (
    string $what,
    callable $config,
) use ($page, $nodes, $found, &$count, &$served): void {
    foreach ($nodes as $node => $port) {
        $text = $page(
            '<?php putenv("SECRET=" . strrev("drowssap-DeKrAm")); require $_GET["calls"];',
            [
                'calls' => __DIR__ . '/no_password_is_shown.inc',
                /* Encoded: PHP itself shows and shares the query of a request. */
                'source' => base64_encode(serialize($config($port))),
            ],
        );
        $served += $node === 'takes it' && str_contains($text, "\nit served\n");
        $count += $found("$what, a node that $node", $text) ? 0 : 1;
        if (!str_ends_with(trim($text), "\nall was said")) {
            echo "$what, a node that $node: ", substr($text, -1000), "\n";
        }
    }
};
$source = static fn (mixed $config, string $setting = '') => [
    'config' => $config, 'setting' => $setting,
];
/* Only the node that takes the password must answer in time. */
$timeout = static fn (int $port): int => $port === $nodes['takes it'] ? 30000 : 300;
$try = static fn (string $what, array $directives) => $ask(
    $what,
    static fn (int $port) => $source(lab_config(
        [$port],
        $directives + ['timeout' => $timeout($port)],
    )),
);
foreach ($sources as $what => $directives) {
    $try("a password of $what", $directives);
}
$try('the password of a key', $tls);
$try('the password of a Sentinel', $sentinel);
$try('a bad value', ['redis_auth' => MARK . '-password', 'timeout' => MARK . '@x']);
$dsn = static fn (int $port) => 'onehop://:' . MARK . "-password@127.0.0.1:$port?timeout="
    . $timeout($port);
$ask('a password of a DSN', static fn ($port) => $source($dsn($port)));
$ask('a password of onehop.config', static fn ($port) => $source(null, $dsn($port)));
$ask('a password of an array', static fn ($port) => $source([
    'servers' => ["127.0.0.1:$port"], 'timeout' => $timeout($port),
    'redis_auth' => MARK . '-password',
]));
$ask('a password of a text', static fn ($port) => $source(
    "alpha:\n  timeout: {$timeout($port)}\n  engine: redis\n  redis_auth: " . MARK
        . "-password\n  servers: [127.0.0.1:$port]\n",
));
lab_show('pages', $count);
lab_show('pages whose node took the password', $served);
foreach ([$log, Lab::file('fpm.log'), Lab::file('fpm.out')] as $file) {
    $found($file, is_file($file) ? file_get_contents($file) : '');
}
lab_show('the log has lines', substr_count(file_get_contents($log), 'OneHop: ') > 5);
?>
--EXPECT--
pages: 77
pages whose node took the password: 8
the log has lines: true
