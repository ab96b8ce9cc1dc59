--TEST--
If a master dies during a call, the promoted replica that another worker knows answers the call
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$cluster = new LabCluster(3, 1);
$victim = $cluster->ports[0];
$heir = array_search($victim, $cluster->masters, true);
$key = lab_key_in(1);
$config = $cluster->config(['timeout' => 20000]);
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

/* Begins a request whose answer goes into a file. */
$begin = static function (string $name, string $script) use ($query): string {
    file_put_contents(
        Lab::file("$name.php"),
        "<?php
            try {
                \$redis = new OneHop\\Redis('alpha', \$_GET['config']);
                $script
            } catch (OneHop\\Exception \$e) {
                echo get_class(\$e), \$e->mayHaveExecuted() ? ' maybe' : ' not sent';
            }",
    );
    Lab::start(['cgi-fcgi', '-bind', '-connect', Lab::file('fpm.sock')], Lab::file("$name.out"), [
        'SCRIPT_FILENAME' => Lab::file("$name.php"),
        'REQUEST_METHOD' => 'GET',
        'QUERY_STRING' => http_build_query($query),
    ]);
    return Lab::file("$name.out");
};
Lab::signal($cluster->processes[$victim], 19);
$read = $begin('read', 'echo $redis->get($_GET["key"]);');
$write = $begin('write', 'echo $redis->append($_GET["key"], "!");');
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
$answer = static fn (string $file) => explode("\r\n\r\n", file_get_contents($file), 2)[1] ?? '';
Lab::until(static fn () => $answer($read) !== '' && $answer($write) !== '', 'end of both');
echo 'read: ', $answer($read), "\nwrite: ", $answer($write), "\n";
?>
--EXPECT--
known
its master's
read: value
write: OneHop\NodeDown maybe
