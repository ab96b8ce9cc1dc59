--TEST--
Encrypted connections belong to their process: a fork, two workers, resumed sessions, new files
--DESCRIPTION--
Not beneath valgrind: OpenSSL handshakes of five processes take minutes there.
--INI--
log_errors=1
--FILE--
<?php
require __DIR__ . '/../lab/tls.inc';

/** The ids of the clients that a node has, beside the one that asks. */
function clients(int $plain): array
{
    $node = lab_plain($plain);
    $ids = array_column($node->client('list'), 'id');
    sort($ids);
    return array_values(array_diff($ids, [$node->client('id')]));
}

[$port, $plain] = lab_tls_redis();

echo "--- a fork\n";
$config = lab_tls_config([$port]);
$redis = new OneHop\Redis('alpha', $config);
$redis->set('key', 'value');
$before = clients($plain);
for ($children = [], $i = 0; $i < 3; $i++) {
    if (($children[] = pcntl_fork()) === 0) {
        $isRight = true;
        for ($n = 0; $n < 100; $n++) {
            $isRight = $isRight && $redis->get('key') === 'value';
        }
        posix_kill(posix_getpid(), $isRight ? SIGKILL : SIGTERM);
    }
}
$isRight = true;
for ($n = 0; $n < 100; $n++) {
    $isRight = $isRight && $redis->get('key') === 'value';
}
foreach ($children as $child) {
    pcntl_waitpid($child, $status);
    $isRight = $isRight && pcntl_wtermsig($status) === SIGKILL;
}
if (pcntl_fork() === 0) {
    exit(0); /* The child ends as PHP does, and closes its copies of connections. */
}
pcntl_wait($status);
lab_show('all replies are right', $isRight && $redis->get('key') === 'value');
lab_show('the parent still has its connection', clients($plain) === $before);

echo "--- two workers\n";
$fpm = lab_fpm([], 2);
$page = '<?php
    $redis = new OneHop\Redis("alpha", $_GET["config"]);
    $redis->incr("page");
    usleep(100000);
    echo getmypid();';
$workers = [];
Lab::until(static function () use ($fpm, $page, $config, &$workers): bool {
    $workers += array_flip($fpm($page, ['config' => $config], 2));
    return count($workers) > 1;
}, 'second worker');
lab_show('workers', count($workers));
lab_show('connections of theirs', count(clients($plain)) - count($before));
$page = "<?php require '" . __DIR__ . "/../../onehop-status.php';";
$pools = json_decode($fpm($page, ['format' => 'json']), true)['pools'];
lab_show('whose connections the status shows', $pools[0]['nodes'][0]['connections']['scope']);
echo preg_grep('/workers x/', explode("\n", $fpm($page, ['format' => 'text'])))[3], "\n";
lab_show('the page says so', str_contains($fpm($page), 'Each worker has its own connections'));

echo "--- resumed sessions\n";
foreach (['TLSv1.2', 'TLSv1.3'] as $version) {
    [$port, $plain] = lab_tls_redis('node', '--tls-protocols', $version);
    $relay = new LabRelay($port);
    $redis = new OneHop\Redis('alpha', lab_tls_config(["127.0.0.1:$relay->port:1"]));
    $bytes = [];
    for ($i = 0; $i < 2; $i++) {
        $redis->get('missing');
        lab_plain($plain)->rawCommand('CLIENT', 'KILL', 'TYPE', 'normal');
        Lab::until(static function () use ($relay, &$sum): bool {
            $sum = max([0, ...$relay->passed()]);
            return $sum > 0;
        }, 'end of the connection');
        $bytes[] = $sum;
    }
    lab_show($version, $bytes[1] < $bytes[0] - 500 ? 'without a certificate' : $bytes);
}

echo "--- files that change\n";
[$port, $plain] = lab_tls_redis();
ini_set('error_log', Lab::file('log'));
copy(lab_pem('ca'), lab_pem('trust'));
$redis = new OneHop\Redis(
    'alpha',
    lab_tls_config([$port], ['tls_ca_cert_file' => lab_pem('trust')]),
);

/** Puts other text into the trusted file, as one step, and ends the connections of the node. */
function trust(string $text): void
{
    global $plain;
    file_put_contents(lab_pem('trust.new'), $text);
    rename(lab_pem('trust.new'), lab_pem('trust'));
    lab_plain($plain)->rawCommand('CLIENT', 'KILL', 'TYPE', 'normal');
    usleep(1100000); /* Files are checked once a second. */
}

lab_show('before', $redis->set('key', 'value'));
lab_certificate('renewed', ca: 'second');
lab_plain($plain)->rawCommand('CONFIG', 'SET', 'tls-cert-file', lab_pem('renewed'),
    'tls-key-file', lab_pem('renewed.key'));
trust(file_get_contents(lab_pem('ca')));
lab_tell(fn () => $redis->get('key'));
trust(file_get_contents(lab_pem('second')));
lab_show('with the new file', $redis->get('key'));
trust('half of a f');
lab_show('with a broken file', $redis->get('key'));
echo preg_replace('/^\[.*?\] /m', '', lab_hide(file_get_contents(Lab::file('log'))));

echo "--- a client certificate that changes\n";
file_put_contents(Lab::file('log'), '');
[$wary, $plain] = lab_tls_redis('node', '--tls-auth-clients', 'yes');
lab_certificate('client');
lab_certificate('stranger', ca: 'second');

/** Puts another certificate and its key in place. */
function wear(string $name): void
{
    foreach (['', '.key'] as $part) {
        copy(lab_pem($name . $part), lab_pem("new$part"));
        rename(lab_pem("new$part"), lab_pem("worn$part"));
    }
}

wear('stranger');
$redis = new OneHop\Redis('alpha', lab_tls_config(
    [$wary],
    ['tls_cert_file' => lab_pem('worn'), 'tls_key_file' => lab_pem('worn.key')],
));
try {
    $redis->get('key');
} catch (OneHop\Exception $refused) {
    lab_show('refused', get_class($refused));
}
wear('client');
usleep(1100000);
lab_show('with the new certificate', $redis->set('key', 'value'));

echo "--- nothing is checked\n";
file_put_contents(Lab::file('log'), '');
$config = lab_tls_config([$port], ['tls_verify' => 'none', 'tls_ca_cert_file' => null]);
for ($i = 0; $i < 3; $i++) {
    $redis = new OneHop\Redis('alpha', $config);
    lab_show('served', $redis->get('key'));
}
echo preg_replace('/^\[.*?\] /m', '', lab_hide(file_get_contents(Lab::file('log'))));
?>
--EXPECT--
--- a fork
all replies are right: true
the parent still has its connection: true
--- two workers
workers: 2
connections of theirs: 2
whose connections the status shows: "process"
  each worker has its own connections, here to 1 of 1 nodes: plan for workers x 1; leased, idle and max are those of the worker that answers
the page says so: true
--- resumed sessions
TLSv1.2: "without a certificate"
TLSv1.3: "without a certificate"
--- files that change
before: true
OneHop\ConfigInvalid, node node-0, may have executed: false
  The node's certificate was issued by an unknown CA, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; trust that CA
with the new file: "value"
with a broken file: "value"
OneHop: The TLS options are not valid: tls_ca_cert_file: no certificate or crl found; the files before stay in use
--- a client certificate that changes
refused: "OneHop\\NodeDown"
with the new certificate: true
--- nothing is checked
served: "value"
served: "value"
served: "value"
OneHop: server pool alpha has "tls_verify: none": any server can pose as its nodes
