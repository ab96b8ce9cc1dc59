--TEST--
A TLS handshake that fails gives its reason within the deadline, and no command is sent
--DESCRIPTION--
Not beneath valgrind: a handshake of OpenSSL takes longer there than the deadlines of this test.
--FILE--
<?php
require __DIR__ . '/../lab/tls.inc';

ini_set('error_log', Lab::file('log'));
[$good] = lab_tls_redis();
lab_ca('foreign');
lab_certificate('stranger', ca: 'foreign');
lab_certificate('client');
const MS = 1500; /* The timeout of attempts that cannot end earlier. */

/**
 * Makes a call by a new client, and prints the reason of the failure if it was found in time. If a
 * busy machine notices the end of an attempt too late, the attempt is repeated.
 */
function attempt(string $what, int|string $server, array $directives = [], int $tries = 5): void
{
    $address = is_int($server) ? "127.0.0.1:$server:1" : $server;
    $redis = new OneHop\Redis('alpha', lab_tls_config([$address], $directives));
    $begin = hrtime(true);
    try {
        $redis->set('served', 'yes');
        echo "$what: ", $redis->get('served') === 'yes' ? 'served' : 'wrong', "\n";
    } catch (OneHop\Exception $e) {
        $ms = (hrtime(true) - $begin) / 1e6;
        /* What a node's bytes decide is known long before the deadline, which is 30 s. */
        $isLate = $ms > (isset($directives['timeout']) ? 2 * MS : 15000);
        if ($isLate && $tries > 1 && !$e->mayHaveExecuted()) {
            attempt($what, $server, $directives, $tries - 1);
            return;
        }
        printf("%s: %s%s%s\n", $what, (new ReflectionClass($e))->getShortName(),
            $e->mayHaveExecuted() ? ', MAY HAVE EXECUTED' : '', $isLate ? ", $ms ms" : '');
        echo '  ', explode(', node ', lab_hide($e->getMessage()))[0], "\n";
    }
}

echo "--- the node's certificate\n";
lab_certificate('expired', days: 0);
usleep(1100000); /* The certificate expires in the second in which it begins. */
[$port] = lab_tls_redis('expired');
attempt('expired', $port);
attempt('expired, ca', $port, ['tls_verify' => 'ca']);
attempt('expired, none', $port, ['tls_verify' => 'none']);
lab_certificate('issuer', "DNS:issuer\nbasicConstraints=critical,CA:TRUE", 0);
lab_certificate('issued', ca: 'issuer');
file_put_contents(lab_pem('issued'), file_get_contents(lab_pem('issuer')), FILE_APPEND);
usleep(1100000);
[$port] = lab_tls_redis('issued');
attempt('an expired CA', $port);
attempt('another CA', $good, ['tls_ca_cert_file' => lab_pem('foreign')]);
attempt('the CAs of the system', $good, ['tls_ca_cert_file' => null]);
lab_certificate('other', 'DNS:other.test,DNS:*.wild.test');
[$port] = lab_tls_redis('other');
attempt('another name', $port);
attempt('another name, too', $port, ['tls_server_name' => 'a.b.wild.test']);
attempt('the name', $port, ['tls_server_name' => 'other.test']);
attempt('a wild name', $port, ['tls_server_name' => 'a.wild.test']);
attempt('no name, ca', $port, ['tls_verify' => 'ca']);
lab_certificate('local', 'DNS:localhost');
[$port] = lab_tls_redis('local');
attempt('the host', "localhost:$port:1");
attempt('its address', $port);

echo "--- the client's certificate\n";
foreach (['TLSv1.2', 'TLSv1.3'] as $version) {
    $port = Lab::port();
    lab_redis(...array_diff(lab_tls_options($port), ['--tls-auth-clients', 'no']),
        ...['--tls-auth-clients', 'yes', '--tls-protocols', $version]);
    for ($i = 0; $i < 10; $i++) {
        ob_start();
        attempt("none, $version", $port);
        $seen[ob_get_clean()] = true;
    }
    attempt("a good one, $version", $port, [
        'tls_cert_file' => lab_pem('client'), 'tls_key_file' => lab_pem('client.key'),
    ]);
    ob_start();
    attempt("of another CA, $version", $port, [
        'tls_cert_file' => lab_pem('stranger'), 'tls_key_file' => lab_pem('stranger.key'),
    ]);
    echo preg_replace('/\(.*\)/', '(...)', ob_get_clean());
}
echo implode(array_keys($seen));
lab_openssl('ec', '-in', lab_pem('client.key'), '-aes256', '-passout', 'pass:word',
    '-out', lab_pem('locked.key'));
$locked = ['tls_cert_file' => lab_pem('client'), 'tls_key_file' => lab_pem('locked.key')];
attempt('a locked key', $port, $locked + ['tls_key_file_pass' => 'word']);
ob_start();
attempt('without its password', $port, $locked);
/* One of 256 keys is unlocked by any password, into bytes that are no key. */
echo str_replace(': unsupported', ': bad decrypt', ob_get_clean());
attempt('a key of another certificate', $port,
    ['tls_cert_file' => lab_pem('client'), 'tls_key_file' => lab_pem('node.key')]);
attempt('a file that is missing', $port, ['tls_ca_cert_file' => '/nowhere/ca.pem']);

echo "--- no TLS\n";
attempt('an answer in plain text', lab_node('reply("-ERR what?"); time.sleep(60)'));
attempt('a redis without TLS', lab_redis(), ['timeout' => MS]);
attempt('silence', lab_node('time.sleep(60)'), ['timeout' => MS]);
attempt('the end', lab_node(''));
attempt('a reset', lab_node('peek(); reset()'));
attempt('no version in common', (function () {
    $port = Lab::port();
    Lab::start(['openssl', 's_server', '-quiet', '-accept', (string) $port, '-tls1_1',
        '-cipher', 'DEFAULT@SECLEVEL=0', '-cert', lab_pem('node'), '-key', lab_pem('node.key')]);
    Lab::await("tcp://127.0.0.1:$port");
    return $port;
})());
?>
--EXPECT--
--- the node's certificate
expired: ConfigInvalid
  The node's certificate has expired
expired, ca: ConfigInvalid
  The node's certificate has expired
expired, none: served
an expired CA: ConfigInvalid
  The certificate of the node's CA has expired
another CA: ConfigInvalid
  The node's certificate was issued by an unknown CA
the CAs of the system: ConfigInvalid
  The node's certificate was issued by an unknown CA
another name: ConfigInvalid
  The node's certificate is not valid for 127.0.0.1
another name, too: ConfigInvalid
  The node's certificate is not valid for a.b.wild.test
the name: served
a wild name: served
no name, ca: served
the host: served
its address: ConfigInvalid
  The node's certificate is not valid for 127.0.0.1
--- the client's certificate
a good one, TLSv1.2: served
of another CA, TLSv1.2: NodeDown
  The TLS handshake failed (...)
a good one, TLSv1.3: served
of another CA, TLSv1.3: NodeDown
  The TLS handshake failed (...)
none, TLSv1.2: ConfigInvalid
  The node requires a client certificate
none, TLSv1.3: ConfigInvalid
  The node requires a client certificate
a locked key: served
without its password: ConfigInvalid
  The TLS options are not valid: tls_key_file: bad decrypt
a key of another certificate: ConfigInvalid
  The TLS options are not valid: tls_key_file: key values mismatch
a file that is missing: ConfigInvalid
  The TLS options are not valid: tls_ca_cert_file: No such file or directory
--- no TLS
an answer in plain text: ConfigInvalid
  The node speaks plain text, not TLS
a redis without TLS: DeadlineExceeded
  TLS handshake not finished within 1500 ms
silence: DeadlineExceeded
  TLS handshake not finished within 1500 ms
the end: NodeDown
  The node broke off the TLS handshake
a reset: NodeDown
  The node broke off the TLS handshake
no version in common: NodeDown
  The TLS handshake failed (tlsv1 alert protocol version)
