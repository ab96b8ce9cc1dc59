--TEST--
The TLS handshakes of a batch with several nodes overlap, and a node that hangs delays no other
--FILE--
<?php
require __DIR__ . '/../lab/tls.inc';

const NODES = 4;

/*
 * No handshake goes on before all of them have begun. If they ran one after another, none would
 * ever end.
 */
foreach (['a pipeline', 'mget'] as $what) {
    $relays = [];
    for ($i = 0; $i < NODES; $i++) {
        $relays[] = new LabRelay(lab_tls_redis()[0]);
    }
    LabRelay::meet(...$relays);
    $config = lab_tls_config(array_column($relays, 'port'));
    $redis = new OneHop\Redis('alpha', $config);
    $keys = array_values(lab_key_of_each($config));
    if ($what === 'mget') {
        lab_show($what, $redis->mGet($keys));
    } else {
        $redis->pipeline();
        array_map($redis->get(...), $keys);
        lab_show($what, $redis->exec());
    }
}

$hangs = lab_node('time.sleep(60)');
$config = lab_tls_config([lab_tls_redis()[0], $hangs], ['timeout' => 10000]);
$redis = new OneHop\Redis('alpha', $config);
['node-0' => $good, 'node-1' => $bad] = lab_key_of_each($config);
try {
    $redis->pipeline()->set($bad, '1')->set($good, '2')->exec();
} catch (OneHop\PartialBatch $partial) {
    lab_show('replies', array_map(get_debug_type(...), $partial->getReplies()));
    foreach ($partial->getFailures() as $node => $failure) {
        lab_show($node, explode(', node ', $failure->getMessage())[0]);
    }
}
lab_show('the other node', $redis->get($good));
?>
--EXPECT--
a pipeline: [false,false,false,false]
mget: [false,false,false,false]
replies: ["OneHop\\DeadlineExceeded","bool"]
node-1: "TLS handshake not finished within 10000 ms"
the other node: "2"
