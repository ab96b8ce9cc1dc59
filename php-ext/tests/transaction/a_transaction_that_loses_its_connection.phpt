--TEST--
A transaction whose connection fails is over: nothing is sent again, the next call is served
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/*
 * The first word of a key says what the node does when the command is queued or, after "exec", at
 * EXEC.
 */
$port = lab_node('
    at_exec = {
        "execmany": listed("abc"),
        "execfew": listed("a"),
        "execodd": "+OK\r\n",
        "exectwice": listed("ab") + listed("cd"),
        "execerror": "-OOM command not allowed\r\n",
        "execcut": "*2\r\n$1\r\na\r\n$5\r\nb",
        "execlarge": "*2\r\n$400000\r\n" + "x" * 300000,
    }
    queued = []
    for words in commands():
        what = words[1].split(":")[0] if len(words) > 1 else ""
        if words[0] in ("MULTI", "WATCH", "DISCARD", "UNWATCH"):
            if what == "nowatch":
                close()
            queued = []
            reply("+OK")
        elif words[0] == "EXEC":
            what = queued[0] if queued else ""
            if what == "exechang":
                await_close()
            if what == "execclose":
                close()
            send(at_exec.get(what) or listed(f"reply {i}" for i in range(len(queued))))
            if what in ("execcut", "execlarge"):
                close()
        elif what in ("plain", "value"):
            queued += ["value"] if what == "value" else []
            value("value of " + words[1])
        else:
            queued.append(what)
            if what == "hang":
                await_close()
            if what == "reset":
                reset()
            if what == "close":
                close()
            if what == "surplus":
                reply("+QUEUED", "+QUEUED")
                tell(what)
                continue
            reply("-OOM command not allowed" if what == "oom" else "+QUEUED")
            if what == "then":
                end()
                tell(what)
                close()
            if what == "later":
                time.sleep(0.02)
                reply("+QUEUED")
                tell(what)');
$redis = new OneHop\Redis(
    'alpha',
    lab_config(["127.0.0.1:$port:1 odd"], ['timeout' => 3000, 'server_failure_limit' => 1000]),
);
$show = function (string $what, callable $call) {
    echo "$what: ";
    try {
        $value = $call();
        echo is_object($value) ? 'queued' : json_encode($value), "\n";
    } catch (OneHop\Exception $e) {
        printf(
            "%s, may have executed: %s: %s\n",
            $e->getKind(),
            json_encode($e->mayHaveExecuted()),
            preg_replace('/, node .*:/U', ' ...', lab_hide($e->getMessage())),
        );
    } catch (Throwable $e) {
        echo get_class($e), ': ', $e->getMessage(), "\n";
    }
};
foreach (['close', 'hang', 'reset'] as $what) {
    echo "-- $what while it is queued\n";
    $redis->multi();
    $show('first', fn () => $redis->set('fine:1', 'x'));
    $show($what, fn () => $redis->set("$what:1", 'x'));
    $show('next', fn () => $redis->set('fine:2', 'x'));
    $show('several keys', fn () => $redis->mget(['fine:2', 'fine:3']));
    lab_show('mode', $redis->getMode());
    if ($what === 'hang') {
        lab_show('discard', $redis->discard());
    } else {
        $show('exec', fn () => $redis->exec() ?: null);
    }
    lab_show('mode, ATOMIC again', $redis->getMode());
    $show('outside', fn () => $redis->get('plain:1'));
}
foreach (['then', 'later', 'surplus', 'value'] as $what) {
    echo "-- $what\n";
    $redis->multi();
    $show($what, fn () => $redis->get("$what:1"));
    $what === 'value' || lab_await($port, $what);
    $show('next', fn () => $redis->get('fine:2'));
    $show('exec', fn () => $redis->exec() ?: null);
    $show('outside', fn () => $redis->get('plain:1'));
}
foreach ([
    'execclose', 'exechang', 'execmany', 'execfew', 'execodd', 'exectwice', 'execcut', 'execerror',
    'execlarge',
] as $what) {
    echo "-- $what\n";
    $redis->multi()->get("$what:1")->get('fine:2');
    $show('exec', fn () => $redis->exec());
    lab_show('mode, ATOMIC again', $redis->getMode());
    $show('outside', fn () => $redis->get('plain:1'));
}
echo "-- an error that phpredis throws\n";
$redis->multi()->get('fine:1');
$show('oom', fn () => $redis->get('oom:1'));
$show('exec', fn () => $redis->discard());
echo "-- watch\n";
$show('nowatch', fn () => $redis->watch('nowatch:1'));
$show('outside', fn () => $redis->get('plain:1'));
$show('watch', fn () => $redis->watch('fine:1'));
$show('multi', fn () => $redis->multi()->get('fine:1')->exec());
echo "-- a new multi() after a failure\n";
$redis->multi();
$show('close', fn () => $redis->get('close:1'));
$show('all', fn () => $redis->multi()->get('fine:1')->get('fine:2')->exec());
echo "-- what each connection received after it had failed\n";
$told = [];
foreach (lab_commands($port) as $line) {
    [$connection, $rest] = explode(' ', $line, 2);
    $told[$connection][] = $rest;
}
$after = 0;
foreach ($told as $commands) {
    foreach (preg_grep(
        '/^(GET|SET) (close|hang|reset|then|later|surplus|value):/',
        $commands,
    ) as $i => $command) {
        $after += count($commands) - 1 - $i;
    }
}
lab_show('commands', $after);
?>
--EXPECT--
-- close while it is queued
first: queued
close: NodeDown, may have executed: false: Connection closed by the node ...PORT), server pool alpha: the command was not sent; nothing in the transaction was executed; start it again
next: true
several keys: false
mode: 0
exec: null
mode, ATOMIC again: 0
outside: "value of plain:1"
-- hang while it is queued
first: queued
hang: DeadlineExceeded, may have executed: false: No answer within 3000 ms ...PORT), server pool alpha: the command was not sent; nothing in the transaction was executed; start it again
next: true
several keys: false
mode: 0
discard: false
mode, ATOMIC again: 0
outside: "value of plain:1"
-- reset while it is queued
first: queued
reset: NodeDown, may have executed: false: Connection reset by peer ...PORT), server pool alpha: the command was not sent; nothing in the transaction was executed; start it again
next: true
several keys: false
mode: 0
exec: null
mode, ATOMIC again: 0
outside: "value of plain:1"
-- then
then: queued
next: NodeDown, may have executed: false: The node closed the connection, or its replies are out of step ...PORT), server pool alpha: the command was not sent; nothing in the transaction was executed; start it again
exec: null
outside: "value of plain:1"
-- later
later: queued
next: NodeDown, may have executed: false: The node closed the connection, or its replies are out of step ...PORT), server pool alpha: the command was not sent; nothing in the transaction was executed; start it again
exec: null
outside: "value of plain:1"
-- surplus
surplus: ProtocolViolation, may have executed: false: The node violated the protocol (a reply that was not asked for) ...PORT), server pool alpha: the command was not sent; nothing in the transaction was executed; start it again
next: "+QUEUED"
exec: null
outside: "value of plain:1"
-- value
value: ProtocolViolation, may have executed: true: The node neither queued nor refused the command ...PORT), server pool alpha: the command may have executed; check what listens at that address, or call this method outside a transaction
next: "+QUEUED"
exec: null
outside: "value of plain:1"
-- execclose
exec: NodeDown, may have executed: true: Connection closed by the node ...PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
mode, ATOMIC again: 0
outside: "value of plain:1"
-- exechang
exec: DeadlineExceeded, may have executed: true: No answer within 3000 ms ...PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
mode, ATOMIC again: 0
outside: "value of plain:1"
-- execmany
exec: ProtocolViolation, may have executed: true: The node violated the protocol (EXEC did not return one reply for each command) ...PORT), server pool alpha: the command may have executed; check what listens at that address
mode, ATOMIC again: 0
outside: "value of plain:1"
-- execfew
exec: ProtocolViolation, may have executed: true: The node violated the protocol (EXEC did not return one reply for each command) ...PORT), server pool alpha: the command may have executed; check what listens at that address
mode, ATOMIC again: 0
outside: "value of plain:1"
-- execodd
exec: ProtocolViolation, may have executed: true: The node violated the protocol (EXEC did not return one reply for each command) ...PORT), server pool alpha: the command may have executed; check what listens at that address
mode, ATOMIC again: 0
outside: "value of plain:1"
-- exectwice
exec: ProtocolViolation, may have executed: true: The node violated the protocol (a reply that was not asked for) ...PORT), server pool alpha: the command may have executed; check what listens at that address
mode, ATOMIC again: 0
outside: "value of plain:1"
-- execcut
exec: NodeDown, may have executed: true: Connection closed by the node ...PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
mode, ATOMIC again: 0
outside: "value of plain:1"
-- execerror
exec: RedisException: OOM command not allowed
mode, ATOMIC again: 0
outside: "value of plain:1"
-- execlarge
exec: NodeDown, may have executed: true: Connection closed by the node ...PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
mode, ATOMIC again: 0
outside: "value of plain:1"
-- an error that phpredis throws
oom: RedisException: OOM command not allowed
exec: true
-- watch
nowatch: NodeDown, may have executed: false: Connection closed by the node ...PORT), server pool alpha: the command was not sent; nothing in the transaction was executed; start it again
outside: "value of plain:1"
watch: true
multi: ["reply 0"]
-- a new multi() after a failure
close: NodeDown, may have executed: false: Connection closed by the node ...PORT), server pool alpha: the command was not sent; nothing in the transaction was executed; start it again
all: ["reply 0","reply 1"]
-- what each connection received after it had failed
commands: 0
