--TEST--
Seeds that are silent do not take the time of the one that answers
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$cluster = new LabCluster(1);
$silent = [];
for ($i = 0; $i < 3; $i++) {
    $silent[] = $server = socket_create(AF_INET, SOCK_STREAM, SOL_TCP);
    socket_bind($server, '127.0.0.1', 0);
    socket_listen($server, 0);
    socket_getsockname($server, $host, $port);
    $ports[] = $port;
    for ($j = 0; $j < 4; $j++) {
        $silent[] = $client = socket_create(AF_INET, SOCK_STREAM, SOL_TCP);
        socket_set_nonblock($client);
        @socket_connect($client, $host, $port);
    }
}
/* Two by chance are asked first. */
for ($i = 0; $i < 4; $i++) {
    $config = $cluster->config(['timeout' => 3000], [...$ports, $cluster->ports[0]]);
    lab_show('a call', (new OneHop\Redis('alpha', $config))->set('key', 'value'));
}
?>
--EXPECT--
a call: true
a call: true
a call: true
a call: true
