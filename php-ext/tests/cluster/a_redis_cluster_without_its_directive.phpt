--TEST--
If the nodes are a Redis Cluster and `cluster` is not set, the failure names the directive
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$cluster = new LabCluster(3, 0);
[$port, $other] = $cluster->ports;
$config = Lab::file('plain.yml');
file_put_contents(
    $config,
    "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  servers:\n  - 127.0.0.1:$port:1 one\n",
);
$redis = new OneHop\Redis('alpha', $config);

$moved = $kept = null;
for ($i = 0; !$moved || !$kept; $i++) {
    $at_home = OneHop\Topology::slot("key:$i") < 16384 / 3 - 100;
    if ($at_home) {
        $kept ??= "key:$i";
    } elseif (OneHop\Topology::slot("key:$i") > 16384 / 3 + 100) {
        $moved ??= "key:$i";
    }
}
$tell = static function (callable $call) {
    ob_start();
    lab_tell($call);
    echo preg_replace('/MOVED \d+/', 'MOVED N', ob_get_clean());
};
var_dump($redis->set($kept, 'value'));
$tell(static fn () => $redis->set($moved, 'value'));
$tell(static fn () => $redis->pipeline()->get($kept)->get($moved)->exec());
$tell(static fn () => $redis->hGet($moved, 'field'));
echo "the next call works\n";
var_dump($redis->get($kept), $redis->pipeline()->get($kept)->exec());
?>
--EXPECT--
bool(true)
OneHop\ConfigInvalid, node one, may have executed: true
  The node belongs to a Redis Cluster: it answered MOVED N 127.0.0.1:PORT, node one (127.0.0.1:PORT), server pool alpha: the command was answered; set "cluster: true" in the server pool
OneHop\ConfigInvalid, node one, may have executed: true
  The node belongs to a Redis Cluster: it answered MOVED N 127.0.0.1:PORT, node one (127.0.0.1:PORT), server pool alpha: the command was answered; set "cluster: true" in the server pool
OneHop\ConfigInvalid, node one, may have executed: true
  The node belongs to a Redis Cluster: it answered MOVED N 127.0.0.1:PORT, node one (127.0.0.1:PORT), server pool alpha: the command was answered; set "cluster: true" in the server pool
the next call works
string(5) "value"
array(1) {
  [0]=>
  string(5) "value"
}
