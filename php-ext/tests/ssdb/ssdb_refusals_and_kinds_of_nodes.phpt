--TEST--
Commands that SSDB would misunderstand are not sent, and a node that is not SSDB is detected first
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$serve = '
    answers = {"VERSION": listed(["1.9.8"]), "GET": bulk("v")}
    for words in commands():
        send(answers.get(words[0], "+OK\r\n"))';
$nodes = [lab_node($serve), lab_node($serve), lab_node($serve)];
$config = lab_config($nodes, ['engine' => 'ssdb']);
$keys = array_values(lab_key_of_each($config));
$redis = new OneHop\Redis('alpha', $config);
$sent = static fn () => array_map(
    static fn (int $port) => implode(', ', preg_replace('/^\d+ /', '', lab_commands($port))),
    $nodes,
);

echo "If a word is too long for one part, the whole call is refused:\n";
lab_tell(fn () => $redis->mSet([
    $keys[0] => '1', $keys[1] => '2', $keys[2] => '3', str_repeat('k', 256) => '4',
]));
echo "If a command of a pipeline is refused, the whole pipeline is refused:\n";
lab_tell(fn () => $redis->pipeline()->set($keys[0], '1')->set($keys[1], '2', ['nx', 'ex' => 10])
    ->get($keys[2])->exec());
echo "Refusals of other kinds:\n";
lab_tell(fn () => $redis->subscribe(['news'], fn () => null));
lab_tell(fn () => $redis->multi()->set($keys[0], '1'));
$redis->discard();
lab_tell(fn () => $redis->eval('return 1', [$keys[0]], 1));
lab_tell(fn () => $redis->dbSize());
lab_tell(fn () => $redis->get(''));
lab_show('sent', $sent());

echo "A range without elements sends nothing:\n";
lab_tell(fn () => $redis->zCount($keys[0], '(1', '(2'));
lab_tell(fn () => count($redis->zRangeByScore($keys[0], '2', '1')));
lab_tell(fn () => implode(
    ' ',
    $redis->pipeline()->zCount($keys[0], '2', '1')->get($keys[0])->zCount($keys[1], '2', '1')
        ->exec(),
));
lab_show('sent', $sent());

echo "redis where SSDB should be:\n";
lab_tell(fn () => (new OneHop\Redis(
    'alpha',
    lab_config([lab_redis()], ['engine' => 'ssdb'], 'redis.yml'),
))->get('k'));
echo "A password:\n";
$guarded = lab_node('
    is_in = False
    for words in commands():
        if words[0] == "AUTH":
            is_in = words[1] == "secret"
            reply("+OK" if is_in else "-ERR invalid password")
        elif not is_in:
            reply("-NOAUTH authentication required.")
        else:
            send(listed(["1.9.8"]) if words == ["VERSION"] else bulk("v"))');
foreach ([[], ['redis_auth' => 'wrong'], [
    'redis_auth' => 'secret',
    'redis_db' => 3,
]] as $i => $directives) {
    $redis = new OneHop\Redis(
        'alpha',
        lab_config([$guarded], ['engine' => 'ssdb'] + $directives, "guarded-$i.yml"),
    );
    lab_tell(fn () => $redis->get('k'));
}
$commands = lab_commands($guarded);
/* After a refused password the client may or may not read on. */
echo str_replace(
    'AUTH wrong, VERSION',
    'AUTH wrong',
    implode(', ', preg_replace('/^\d+ /', '', $commands)),
), "\n";
?>
--EXPECT--
If a word is too long for one part, the whole call is refused:
OneHop\Unsupported, node node-2, may have executed: false
  Command MSET is not available on SSDB (SSDB takes a key of 1 to 255 bytes), node node-2 (127.0.0.1:PORT), server pool alpha: the command was not sent; docs/ssdb.md lists the commands that are
If a command of a pipeline is refused, the whole pipeline is refused:
OneHop\Unsupported, node node-2, may have executed: false
  Command SET is not available on SSDB (SSDB ignores the options of SET and overwrites: no lock can be taken by it. Use EX, NX or KEEPTTL alone, not two together), node node-2 (127.0.0.1:PORT), server pool alpha: the command was not sent; docs/ssdb.md lists the commands that are
Refusals of other kinds:
OneHop\Unsupported, node none, may have executed: false
  subscribe() is not available on SSDB, which has no subscriptions: the command was not sent; use a server pool of redis for messages
OneHop\Unsupported, node node-2, may have executed: false
  Command MULTI is not available on SSDB (SSDB has no such command), node node-2 (127.0.0.1:PORT), server pool alpha: the command was not sent; nothing in the transaction was executed; start it again
OneHop\Unsupported, node node-2, may have executed: false
  Command EVAL is not available on SSDB (SSDB has no such command), node node-2 (127.0.0.1:PORT), server pool alpha: the command was not sent; docs/ssdb.md lists the commands that are
OneHop\Unsupported, node node-0, may have executed: false
  Command DBSIZE is not available on SSDB (SSDB reports bytes on disk, not keys), node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; docs/ssdb.md lists the commands that are
OneHop\Unsupported, node node-0, may have executed: false
  Command GET is not available on SSDB (SSDB takes a key of 1 to 255 bytes), node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; docs/ssdb.md lists the commands that are
sent: ["","",""]
A range without elements sends nothing:
value: 0
value: 0
value: "0 v 0"
sent: ["","","VERSION, GET key:0"]
redis where SSDB should be:
OneHop\ConfigInvalid, node node-0, may have executed: false
  The node is not SSDB 1.9 or later: ERR unknown command 'VERSION', with args beginning with: , node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; correct engine in the server pool
A password:
OneHop\ConfigInvalid, node node-0, may have executed: false
  The node requires a password: NOAUTH authentication required, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; set redis_auth in the server pool
OneHop\ConfigInvalid, node node-0, may have executed: false
  The node refused the user name or password: ERR invalid password, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; correct username and redis_auth in the server pool
value: "v"
VERSION, AUTH wrong, AUTH secret, VERSION, GET k
