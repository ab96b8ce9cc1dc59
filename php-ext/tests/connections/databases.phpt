--TEST--
select() chooses an object's database; redis_db and database choose the server pool's database
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$config = lab_config($ports = [lab_redis(), lab_redis(), lab_redis()]);
$objects = [];
foreach ([0, 1, 5] as $database) {
    $objects[$database] = new OneHop\Redis('alpha', $config);
    lab_show("select $database", $objects[$database]->select($database));
}
lab_show('getDbNum', array_values(array_map(fn ($redis) => $redis->getDbNum(), $objects)));
$keys = array_map(fn ($i) => "k$i", range(1, 30));

/** Everything an object does with its keys; every value has the number of its database. */
$work = function (Redis $redis, int $database) use ($keys): array {
    $value = "of $database";
    $redis->set($keys[0], $value);
    $redis->mset(array_fill_keys(array_slice($keys, 1, 20), $value));
    $pipe = $redis->pipeline();
    array_map(fn ($key) => $pipe->set($key, $value), array_slice($keys, 21));
    $pipe->exec();
    $redis->multi()->append($keys[3], '')->exec();
    $redis->watch($keys[4]);
    $watched = $redis->multi()->get($keys[4])->exec();
    $found = [];
    for ($at = null; ($some = $redis->scan($at, 'k*')) !== false;) {
        array_push($found, ...($some ? $redis->mget($some) : []));
    }
    return [
        $redis->get($keys[0]), array_unique($redis->mget($keys)), $watched,
        array_unique($redis->pipeline()->get($keys[1])->mget(array_slice($keys, 20))->exec()[1]),
        $redis->eval('return redis.call("GET", KEYS[1])', [$keys[2]], 1),
        count($found), array_unique($found), $redis->dbSize(), $redis->rawCommand('GET', $keys[9]),
        array_sum($redis->onEachNode('dbSize')),
    ];
};
foreach ([0, 1, 5, 1, 0] as $database) {
    lab_show("in $database", $work($objects[$database], $database));
}
$objects[5]->flushDb();
lab_show('after flushDb of 5', array_map(fn ($redis) => $redis->dbSize(), $objects));

echo "-- what is refused\n";
$redis = $objects[1];
lab_show('no such database', [
    $redis->select(99), trim($redis->getLastError()), $redis->getDbNum(), $redis->select(-1),
    $redis->rawCommand('select', '99'), $redis->get($keys[0]),
]);
lab_tell(fn () => $redis->pipeline()->select(2));
$redis->discard();
lab_tell(fn () => $redis->multi()->select(2));
$redis->watch('x');
lab_show('its own, after WATCH', $redis->select(1));
lab_tell(fn () => $redis->select(2));
$redis->unwatch();
lab_tell(fn () => $redis->onNode('node-0', 'select', 2));
lab_show('it stays', [$redis->getDbNum(), $redis->get($keys[0])]);
$redis->setOption(Redis::OPT_REPLY_LITERAL, true);
lab_show('with texts as replies', [$redis->rawCommand('SELECT', 4), $redis->getDbNum()]);
$redis->setOption(Redis::OPT_REPLY_LITERAL, false);
$ssdb = new OneHop\Redis('alpha', lab_config([1], ['engine' => 'ssdb'], 'ssdb.yml'));
lab_show('SSDB, 0', $ssdb->select(0));
lab_tell(fn () => $ssdb->select(1));
$fewer = lab_redis('--databases', '2');
$both = new OneHop\Redis('alpha', $two = lab_config([$ports[0], $fewer], [], 'two.yml'));
[$here, $there] = array_values(lab_key_of_each($two));
lab_show('the first node has the database', [$both->select(4), $both->set($here, 'value')]);
lab_tell(fn () => $both->set($there, 'value'));
lab_show('back', [$both->select(0), $both->set($there, 'value')]);

echo "-- the database of the server pool\n";
$locked = lab_redis('--requirepass', 'secret');
$open = lab_redis('--unixsocket', $socket = Lab::file('redis.sock'));
/** The database into which a client writes, and the number that its getDbNum() returns. */
$database_of = static function (string $server, array $directives, Redis $plain): string {
    $redis = new OneHop\Redis('alpha', lab_config([$server], $directives));
    try {
        $redis->set('where', 'here');
    } catch (OneHop\Exception $e) {
        return lab_hide($e->getMessage());
    }
    for ($database = 0; $database < 16; $database++) {
        $plain->select($database);
        if ($plain->del('where')) {
            return "$database, told " . $redis->getDbNum();
        }
    }
};
$plain = [$open => lab_plain($open), $locked => lab_plain($locked)];
$plain[$locked]->auth('secret');
/* nutcracker ignores redis_db where a password is needed, and at unix sockets. */
foreach (['redis_db', 'database'] as $word) {
    foreach ([
        $word => ["127.0.0.1:$open:1 node", [$word => 3], $open],
        "$word, password not needed" => [
            "127.0.0.1:$open:1 node", [$word => 3, 'redis_auth' => 'x'], $open,
        ],
        "$word, password needed" => [
            "127.0.0.1:$locked:1 node", [$word => 3, 'redis_auth' => 'secret'], $locked,
        ],
        "$word, unix socket" => ["$socket:1 node", [$word => 3], $open],
        "$word that does not exist" => ["127.0.0.1:$open:1 node", [$word => 99], $open],
    ] as $name => [$server, $directives, $port]) {
        lab_show($name, $database_of($server, $directives, $plain[$port]));
    }
}
foreach ([[$open, []], [$locked, ['redis_auth' => 'secret']]] as [$port, $directives]) {
    $file = lab_config([$port], ['redis_db' => 5] + $directives);
    $through = lab_plain(lab_nutcracker($file));
    $directives && $through->auth('secret');
    $through->set('by nutcracker', 'in the same database');
    $read = (new OneHop\Redis('alpha', $file))->get('by nutcracker');
    lab_show('nutcracker agrees', $read === 'in the same database');
}

foreach ([
    'database: 3' => [$ports[0], ['database' => 3]],
    'redis_db: 3' => [$ports[0], ['redis_db' => 3]],
    'redis_db: 3 with a password, so 0' => [$locked, ['redis_db' => 3, 'redis_auth' => 'secret']],
] as $name => [$port, $directives]) {
    $file = lab_config([$port], $directives, 'own.yml');
    [$own, $other] = [new OneHop\Redis('alpha', $file), new OneHop\Redis('alpha', $file)];
    $own->set('own', $name);
    $other->select(6);
    $other->set('own', 'of 6');
    lab_show($name, [$own->get('own'), $other->get('own'), $own->get('own'), $other->getDbNum()]);
    lab_show('back', [$other->select(3), $other->get('own'), $other->getDbNum()]);
}

$file = lab_config([$ports[0]], ['database' => 3], 'changes.yml');
[$chosen, $pools] = [new OneHop\Redis('alpha', $file), new OneHop\Redis('alpha', $file)];
lab_show('the own number', [$chosen->select(3), $chosen->set('changes', 'of 3')]);
lab_config([$ports[0]], ['database' => 4], 'changes.yml');
Lab::until(fn () => $pools->getDbNum() === 4, 'the changed file');
lab_show('it stays', [$chosen->get('changes'), $pools->get('changes'), $chosen->getDbNum()]);

echo "-- workers that share connections\n";
$page = lab_fpm([], 2);
$script = <<<'PHP'
<?php
$redis = new OneHop\Redis('alpha', $_GET['config']);
$redis->select($_GET['database']);
for ($i = 0; $i < 20; $i++) {
    $redis->set("k$i", "of $_GET[database]");
    $seen["of $_GET[database]" === $redis->get("k$i") ? 'right' : 'wrong'] = true;
}
$other = new OneHop\Redis('alpha', $_GET['config']);
$other->select(7);
$seen[$other->get('k1') === false ? 'right' : 'wrong'] = true;
echo implode(array_keys($seen)), ' ', array_sum(array_column(
    OneHop\Topology::status()[0]['nodes'],
    'selects',
)) > 0;
PHP;
for ($i = 0, $told = []; $i < 12; $i++) {
    $told[$page($script, ['config' => $config, 'database' => $i % 3])] = true;
}
lab_show('told', array_keys($told));
?>
--EXPECT--
select 0: true
select 1: true
select 5: true
getDbNum: [0,1,5]
in 0: ["of 0",["of 0"],["of 0"],["of 0"],"of 0",30,["of 0"],30,"of 0",30]
in 1: ["of 1",["of 1"],["of 1"],["of 1"],"of 1",30,["of 1"],30,"of 1",30]
in 5: ["of 5",["of 5"],["of 5"],["of 5"],"of 5",30,["of 5"],30,"of 5",30]
in 1: ["of 1",["of 1"],["of 1"],["of 1"],"of 1",30,["of 1"],30,"of 1",30]
in 0: ["of 0",["of 0"],["of 0"],["of 0"],"of 0",30,["of 0"],30,"of 0",30]
after flushDb of 5: {"0":30,"1":30,"5":0}
-- what is refused
no such database: [false,"ERR DB index is out of range",1,false,false,"of 1"]
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::select() is not supported; connections are shared, so the client object keeps its database for itself: in PHP call select() on it, outside of pipelines, transactions and WATCH; in Java call database() of the builder
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::select() is not supported; connections are shared, so the client object keeps its database for itself: in PHP call select() on it, outside of pipelines, transactions and WATCH; in Java call database() of the builder
its own, after WATCH: true
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::select() is not supported; connections are shared, so the client object keeps its database for itself: in PHP call select() on it, outside of pipelines, transactions and WATCH; in Java call database() of the builder
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::select() is not supported; connections are shared, so the client object keeps its database for itself: in PHP call select() on it, outside of pipelines, transactions and WATCH; in Java call database() of the builder
it stays: [1,"of 1"]
with texts as replies: ["OK",4]
SSDB, 0: true
OneHop\Unsupported, node none, may have executed: false
  OneHop\Redis::select() is not supported; connections are shared, so the client object keeps its database for itself: in PHP call select() on it, outside of pipelines, transactions and WATCH; in Java call database() of the builder
the first node has the database: [true,true]
OneHop\ConfigInvalid, node node-1, may have executed: false
  The node refused database 4: ERR DB index is out of range, node node-1 (127.0.0.1:PORT), server pool alpha: the command was not sent; choose a database that every node of the server pool has and allows
back: [true,true]
-- the database of the server pool
redis_db: "3, told 3"
redis_db, password not needed: "3, told 3"
redis_db, password needed: "0, told 3"
redis_db, unix socket: "0, told 3"
redis_db that does not exist: "0, told 99"
database: "3, told 3"
database, password not needed: "3, told 3"
database, password needed: "3, told 3"
database, unix socket: "3, told 3"
database that does not exist: "The node refused the database: ERR DB index is out of range, node node (127.0.0.1:PORT), server pool alpha: the command was not sent; correct redis_db or database in the server pool"
nutcracker agrees: true
nutcracker agrees: true
database: 3: ["database: 3","of 6","database: 3",6]
back: [true,"database: 3",3]
redis_db: 3: ["redis_db: 3","of 6","redis_db: 3",6]
back: [true,"redis_db: 3",3]
redis_db: 3 with a password, so 0: ["redis_db: 3 with a password, so 0","of 6","redis_db: 3 with a password, so 0",6]
back: [true,"redis_db: 3 with a password, so 0",3]
the own number: [true,true]
it stays: ["of 3",false,3]
-- workers that share connections
told: ["right 1"]
