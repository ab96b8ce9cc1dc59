--TEST--
Sentinels that lie, are behind, or send rubbish are judged by what the others say
--DESCRIPTION--
Not beneath valgrind: it counts the questions of two seconds.
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/sentinel.inc';

[$one, $two] = [lab_redis(), lab_redis()];
foreach ([$one, $two] as $port) {
    lab_plain($port)->set('name', $port === $one ? 'one' : 'two');
}
$fakes = new LabFakeSentinels();
$fakes->sayAll($one, 1);
$config = $fakes->config(Lab::port());
$redis = new OneHop\Redis('alpha', $config);
/** Calls until the last Sentinel is asked, and no Sentinel answers. */
$awaitQuestion = static function () use ($redis, $fakes): void {
    array_map($fakes->hold(...), [0, 1, 2]);
    for ($before = $fakes->questions(2); $fakes->questions(2) === $before; usleep(5000)) {
        $redis->get('name');
    }
};
/** Which server answers, once all Sentinels have answered at the same moment. */
$who = static function () use ($redis, $fakes, $awaitQuestion): string {
    $awaitQuestion();
    $fakes->release(0, 1, 2);
    $redis->get('name');
    return $redis->get('name');
};
/** Which server answers after some tries: the first answers may belong to earlier questions. */
$changed = static function (string $wanted) use ($who): string {
    for ($tries = 0; ($name = $who()) !== $wanted && $tries < 20; $tries++);
    return $name;
};

lab_show('the file has a wrong address', $redis->get('name'));
$fakes->say(0, $two, 100);
lab_show('one lies', $who());
$fakes->say(1, $two, 2);
lab_show('most say that the master has moved', $changed('two'));
$fakes->sayAll($two, 2);
$who();
$fakes->say(0, $one, 1);
$fakes->say(1, $one, 1);
lab_show('most are behind', $who());
$fakes->sayAll($one, 0);
lab_show('all Sentinels were set up again', $changed('one'));
$fakes->send(0, "*1000000000\r\n");
$fakes->send(1, str_repeat('x', 100000));
$fakes->send(2, "+OK\r\n+OK\r\n");
lab_show('rubbish', $who());
$fakes->sayAll($two, 3);
$fakes->say(0, 0, 4);
$fakes->say(1, $one, 5, "127.0.0.1'");
lab_show('addresses that are not valid', $changed('two'));
$fakes->send(0, "-NOAUTH Authentication required.\r\n");
$fakes->send(1, '');
lab_show('one is left', $who());

$fakes->sayAll($two, 6);
$fakes->say(0, $one, 7);
$who();
$awaitQuestion();
$fakes->release(0);
$redis->get('name');
$fakes->release(1, 2);
usleep(200000);
$redis->get('name');
lab_show('two answered while the script did something else', $redis->get('name'));

echo "All name a replica\n";
lab_plain($replica = lab_redis())->rawCommand('REPLICAOF', '127.0.0.1', (string) $two);
$fakes->sayAll($replica, 9);
$other = new OneHop\Redis('alpha', $fakes->config(Lab::port(), ['timeout' => 2000]));
lab_tell(fn () => $other->set('name', 'three'));
$other = new OneHop\Redis('alpha', $fakes->config($two, [], 'patient.yml'));
lab_plain($replica)->rawCommand('REPLICAOF', 'NO', 'ONE');
lab_show('a write that waits until the replica is promoted', $other->set('name', 'three'));
lab_show('at the replica', lab_plain($replica)->get('name'));

echo "All name a server that is not a redis\n";
$fakes->sayAll(lab_node('for words in commands(): reply("+OK")'), 10);
$other = new OneHop\Redis('alpha', $fakes->config(Lab::port(), ['timeout' => 2000], 'odd.yml'));
lab_tell(fn () => $other->set('name', 'three'));

echo "A master whose replica has left\n";
$fakes->sayAll($one, 11);
$other = new OneHop\Redis('alpha', $fakes->config($one, [], 'successor.yml'));
lab_show('a read', $other->get('name'));
lab_plain($one)->config('SET', 'min-replicas-to-write', '1');
$fakes->sayAll($two, 12);
lab_show('its successor', $other->set('name', 'two'));
lab_show('at the successor', lab_plain($two)->get('name'));

echo "One worker asks for all\n";
$page = lab_fpm([], 4);
$script = '<?php
    for ($end = microtime(true) + 2; microtime(true) < $end; usleep(1000)) {
        $name = (new OneHop\Redis("alpha", $_GET["config"]))->get("name");
    }
    echo $name;';
[$before, $begin] = [$fakes->questions(0), hrtime(true)];
lab_show('all know', array_unique($page($script, ['config' => $config], 4)));
$rounds = $fakes->questions(0) - $before;
$seconds = (hrtime(true) - $begin) / 1e9;
lab_show('rounds of questions', $rounds >= 2 && $rounds <= ceil($seconds) + 1 ? 'few' : $rounds);
?>
--EXPECT--
the file has a wrong address: "one"
one lies: "one"
most say that the master has moved: "two"
most are behind: "two"
all Sentinels were set up again: "one"
rubbish: "one"
addresses that are not valid: "two"
one is left: "two"
two answered while the script did something else: "two"
All name a replica
OneHop\NodeDown, node node-0, may have executed: false
  The node is not a master: ROLE says slave, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; if this persists, compare the address with SENTINEL MASTERS
a write that waits until the replica is promoted: true
at the replica: "three"
All name a server that is not a redis
OneHop\NodeDown, node node-0, may have executed: false
  The node is not a master: ROLE says something that is not a role, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; if this persists, compare the address with SENTINEL MASTERS
A master whose replica has left
a read: "one"
its successor: true
at the successor: "two"
One worker asks for all
all know: ["two"]
rounds of questions: "few"
