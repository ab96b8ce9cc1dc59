--TEST--
Topology and the status page show the role of each node, and the master of each replica
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

const PAGE = __DIR__ . '/../../onehop-status.php';
$cluster = new LabCluster(3, 1, '--cluster-require-full-coverage', 'no');
$spare = $cluster->join();
foreach ([...$cluster->ports, $spare] as $port) {
    Lab::until(
        static fn () => substr_count($cluster->call($port, 'CLUSTER', 'NODES'), 'slave ') >= 3,
        'replicas in the map of each node',
    );
}
$config = $cluster->config([], array_slice($cluster->ports, 0, 3));
$roles = static fn () => array_column(
    array_map(
        static fn ($node) => [$node->port, $node->role],
        (new OneHop\Topology('alpha', $config))->nodes(),
    ),
    1,
    0,
);
$expected = array_fill_keys(array_slice($cluster->ports, 0, 3), 'master')
    + array_fill_keys(array_keys($cluster->masters), 'replica')
    + [$spare => 'spare'];
ksort($expected);
$redis = new OneHop\Redis('alpha', $config);
$redis->set('key', 'value');
$found = $roles();
ksort($found);
lab_show('Topology has the role of each node', $found === $expected);
lab_show('role of the node of a key', (new OneHop\Topology('alpha', $config))->locate('key')->role);

$page = lab_fpm();
echo $page(
    '<?php $redis = new OneHop\Redis("alpha", $_GET["config"]); echo $redis->get("key");',
    ['config' => $config],
), "\n";
$show = static fn (string $format) => $page("<?php require '" . PAGE . "';", ['format' => $format]);
$nodes = json_decode($show('json'), true)['pools'][0]['nodes'];
$masters = [];
foreach ($nodes as $node) {
    $found[(int) substr(strrchr($node['node'], ':'), 1)] = $node['role'];
    if ($node['master'] !== null) {
        $masters[(int) substr(strrchr($node['node'], ':'), 1)] = (int) substr(
            strrchr($node['master'], ':'),
            1,
        );
    }
}
ksort($masters);
$known = $cluster->masters;
ksort($known);
lab_show('JSON has the role of each node', $found === $expected);
lab_show('JSON has the master of each replica', $masters === $known);

/* Each replica follows its master. */
$wanted = '';
preg_match_all(
    '/^  127\.0\.0\.1:(\d+) +\S+ +(master|spare|replica of 127\.0\.0\.1:(\d+)) +(?:up|quiet)/m',
    $show('text'),
    $lines,
    PREG_SET_ORDER,
);
$right = 0;
foreach ($lines as $i => $line) {
    $right += isset($line[3]) ? $lines[$i - 1][1] === $line[3]
        && $known[$line[1]] === (int) $line[3] : $expected[$line[1]] === $line[2];
}
lab_show('lines of nodes in the text', count($lines));
lab_show('lines that are right and follow their masters', $right);
lab_show('masters and spares among the metrics', preg_match_all(
    '/^onehop_node_info\{pool="alpha",node="[\d.:]+",role="(master|spare)",master=""\} 1$/m',
    $show('prometheus'),
));
lab_show('replicas among the metrics', preg_match_all(
    '/^onehop_node_info\{pool="alpha",node="[\d.:]+",role="replica",master="[\d.:]+"\} 1$/m',
    $show('prometheus'),
));
lab_show('replicas on the page', substr_count($show('html'), '<small>replica of 127.0.0.1:'));
lab_show('masters on the page', substr_count($show('html'), '<small>master<'));

echo "a replica takes over\n";
$cluster->kill($victim = $cluster->ports[0]);
$heir = array_search($victim, $cluster->masters, true);
Lab::until(static function () use ($redis, $roles, $heir) {
    try {
        $redis->mGet(array_map(static fn ($i) => "key:$i", range(0, 20)));
    } catch (OneHop\Exception) {
    }
    return ($roles()[$heir] ?? '') === 'master';
}, 'map with the new master');
lab_show('the dead node is still a master', ($roles()[$victim] ?? null) === 'master');

echo "no cluster\n";
lab_show(
    'role of a node of a server pool',
    (new OneHop\Topology('alpha', lab_config([lab_redis()])))->nodes()[0]->role,
);
lab_show(
    'role of a server named in a text',
    OneHop\Topology::fromText('alpha', file_get_contents($config))->nodes()[0]->role,
);
?>
--EXPECT--
Topology has the role of each node: true
role of the node of a key: "master"
value
JSON has the role of each node: true
JSON has the master of each replica: true
lines of nodes in the text: 7
lines that are right and follow their masters: 7
masters and spares among the metrics: 4
replicas among the metrics: 3
replicas on the page: 3
masters on the page: 3
a replica takes over
the dead node is still a master: false
no cluster
role of a node of a server pool: null
role of a server named in a text: null
