--TEST--
A renamed SELECT, or any command not in the table, cannot change a shared connection
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$port = lab_redis(...[
    ...['--rename-command', 'SELECT', 'choose'],
    ...['--rename-command', 'CLIENT', 'customer'],
    ...['--rename-command', 'SUBSCRIBE', 'listen'],
    ...['--rename-command', 'MULTI', 'begin'],
]);
$file = lab_config([$port], ['pool_size' => 2]);
$plain = lab_plain($port);
$unknown = ['choose 3', 'CHOOSE 4', 'customer SETNAME me', 'listen channel', 'begin', 'nonsense'];

/* The databases and names of all other connections, as the node reports them. */
function connections(Redis $plain): array
{
    preg_match_all(
        '/ name=(\S*) .* db=(\d+) .* cmd=(?!client|customer)/m',
        $plain->rawCommand('customer', 'LIST'),
        $found,
        PREG_SET_ORDER,
    );
    return array_unique(array_map(static fn ($one) => "database $one[2], name '$one[1]'", $found));
}

$script = <<<'SCRIPT'
<?php
$redis = new OneHop\Redis('alpha', $_GET['file']);
$redis->set('k', 'of database 0');
foreach ($_GET['unknown'] as $words) {
    foreach ([[...['onNode', 'node-0']], ['onEachNode']] as $by) {
        $method = array_shift($by);
        $reply = $redis->$method(...[...$by, 'rawCommand', ...explode(' ', $words)]);
        $then = json_encode($redis->get('k'));
        echo "$method $words: ", json_encode($reply), ", then $then\n";
    }
}
SCRIPT;

echo "-- in php-fpm, where all workers share connections\n";
$fpm = lab_fpm(workers: 2);
echo $fpm($script, ['file' => $file, 'unknown' => $unknown]);
lab_show('connections', connections($plain));

echo "-- on the command line, where a process has its own connections\n";
$_GET = ['file' => $file, 'unknown' => $unknown];
eval(substr($script, 5));
lab_show('connections', connections($plain));

echo "-- only a command that is not in the table costs a connection\n";
$redis->get('k');
foreach (['get k', 'choose 3', 'get k'] as $words) {
    $before = lab_accepted($plain);
    $redis->onNode('node-0', 'rawCommand', ...explode(' ', $words));
    $redis->get('k');
    echo "$words: ", lab_accepted($plain) - $before, "\n";
}

echo "-- refused for the fleet, in a pipeline and in a transaction\n";
lab_tell(fn () => $redis->rawCommand('choose', '3'));
lab_tell(fn () => $redis->pipeline()->rawCommand('choose', '3'));
$redis->discard();
lab_tell(fn () => $redis->multi()->rawCommand('choose', '3'));
?>
--EXPECT--
-- in php-fpm, where all workers share connections
onNode choose 3: true, then "of database 0"
onEachNode choose 3: {"node-0":true}, then "of database 0"
onNode CHOOSE 4: true, then "of database 0"
onEachNode CHOOSE 4: {"node-0":true}, then "of database 0"
onNode customer SETNAME me: true, then "of database 0"
onEachNode customer SETNAME me: {"node-0":true}, then "of database 0"
onNode listen channel: ["subscribe","channel",1], then "of database 0"
onEachNode listen channel: {"node-0":["subscribe","channel",1]}, then "of database 0"
onNode begin: true, then "of database 0"
onEachNode begin: {"node-0":true}, then "of database 0"
onNode nonsense: false, then "of database 0"
onEachNode nonsense: {"node-0":false}, then "of database 0"
connections: ["database 0, name ''"]
-- on the command line, where a process has its own connections
onNode choose 3: true, then "of database 0"
onEachNode choose 3: {"node-0":true}, then "of database 0"
onNode CHOOSE 4: true, then "of database 0"
onEachNode CHOOSE 4: {"node-0":true}, then "of database 0"
onNode customer SETNAME me: true, then "of database 0"
onEachNode customer SETNAME me: {"node-0":true}, then "of database 0"
onNode listen channel: ["subscribe","channel",1], then "of database 0"
onEachNode listen channel: {"node-0":["subscribe","channel",1]}, then "of database 0"
onNode begin: true, then "of database 0"
onEachNode begin: {"node-0":true}, then "of database 0"
onNode nonsense: false, then "of database 0"
onEachNode nonsense: {"node-0":false}, then "of database 0"
connections: ["database 0, name ''"]
-- only a command that is not in the table costs a connection
get k: 0
choose 3: 1
get k: 0
-- refused for the fleet, in a pipeline and in a transaction
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with SELECT is not supported: the command was not sent; connections are shared, so the client object keeps its database for itself: in PHP call select() on it, outside of pipelines, transactions and WATCH; in Java call database() of the builder
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with SELECT is not supported: the command was not sent; connections are shared, so the client object keeps its database for itself: in PHP call select() on it, outside of pipelines, transactions and WATCH; in Java call database() of the builder
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::rawcommand() with SELECT is not supported: the command was not sent; connections are shared, so the client object keeps its database for itself: in PHP call select() on it, outside of pipelines, transactions and WATCH; in Java call database() of the builder
