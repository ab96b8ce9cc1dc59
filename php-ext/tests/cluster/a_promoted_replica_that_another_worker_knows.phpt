--TEST--
If a master dies during a call, the promoted replica that another worker knows answers the call
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';
require __DIR__ . '/../lab/processes.inc';

$cluster = new LabCluster(3, 1);
$victim = $cluster->ports[0];
$heir = array_search($victim, $cluster->masters, true);
$key = lab_key_in(1);
$config = $cluster->config();
$page = lab_fpm([], 3);
$topology = '<?php
    echo (new OneHop\Topology("alpha", $_GET["config"]))->locate($_GET["key"])->port;';
$query = ['config' => $config, 'key' => $key];
echo $page(
    '<?php
        $redis = new OneHop\Redis("alpha", $_GET["config"]);
        echo $redis->set($_GET["key"], "value") ? "known" : "unknown";',
    $query,
), "\n";
$cluster->awaitReplicas();
echo $page($topology, $query) == $victim ? "its master's\n" : "another node's\n";

$begin = static function (string $call) use ($query): callable {
    $answer = lab_request("<?php
        try {
            \$redis = new OneHop\\Redis('alpha', \$_GET['config']);
            touch(\$_GET['begun']);
            echo \$redis->$call;
        } catch (OneHop\\Exception \$e) {
            echo get_class(\$e), \$e->mayHaveExecuted() ? ' maybe' : ' not sent';
        }", $query + ['begun' => $begun = Lab::file(md5($call))]);
    Lab::until(static fn () => file_exists($begun), 'call');
    return $answer;
};
Lab::signal($cluster->processes[$victim], 19);
$read = $begin('get($_GET["key"])');
$write = $begin('append($_GET["key"], "!")');
usleep(500000);
$cluster->call($heir, 'CLUSTER', 'FAILOVER', 'TAKEOVER');
/* A failure of a dead node makes the worker ask for the map. */
$cluster->kill($dead = array_search($cluster->ports[1], $cluster->masters, true));
$ask = '<?php
    $redis = new OneHop\Redis("alpha", $_GET["config"]);
    try {
        $redis->onNode("127.0.0.1:' . $dead . '", "ping");
    } catch (Exception) {
    }
    echo (new OneHop\Topology("alpha", $_GET["config"]))->locate($_GET["key"])->port;';
Lab::until(static fn () => $page($ask, $query) == $heir, 'map with the heir');
$cluster->kill($victim);
Lab::until(static fn () => $read() !== '' && $write() !== '', 'end of both');
echo 'read: ', $read(), "\nwrite: ", $write(), "\n";
?>
--EXPECT--
known
its master's
read: value
write: OneHop\NodeDown maybe
