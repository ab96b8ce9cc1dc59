--TEST--
After a SELECT nothing else is sent until the node has said OK, whatever it says before
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/*
 * The node says OK to the first SELECT of the first connection. GET returns the database. SELECT
 * takes a while, because a connection that has a reply in the millisecond in which a failed call
 * began is not used again.
 */
$script = '
    database, is_first = 0, number == 1
    for words in commands():
        if words[0] == "GET":
            value(f"of {database}")
            continue
        time.sleep(0.005)
        answer = "+OK\r\n" if is_first else test.answer
        is_first = False
        if not answer:
            close()
        if answer.startswith("+OK"):
            database = words[1]
        drip(answer, 1) if len(answer) == 5 else send(answer)';
$answers = [
    'OK' => '+OK\r\n', 'QUEUED' => '+QUEUED\r\n', 'a number' => ':1\r\n', 'nil' => '$-1\r\n',
    'two' => '+OK\r\n+OK\r\n', 'a long one' => '+OK' . str_repeat('!', 40) . '\r\n',
    'an error' => '-ERR DB index is out of range\r\n', 'turned away' => '-NOAUTH password\r\n',
    'the end' => '',
];
foreach ($answers as $name => $answer) {
    echo "-- $name\n";
    $config = lab_config([$node = lab_node($script, ['answer' => stripcslashes($answer)])]);
    [$one, $zero] = [new OneHop\Redis('alpha', $config), new OneHop\Redis('alpha', $config)];
    lab_show('select', $one->select(1));
    lab_tell(fn () => $zero->get('key'));
    lab_tell(fn () => $one->get('key'));
    echo '  ', implode(', ', lab_commands($node)), "\n";
}
?>
--EXPECT--
-- OK
select: true
value: "of 0"
value: "of 1"
  1 SELECT 1, 1 SELECT 0, 1 GET key, 1 SELECT 1, 1 GET key
-- QUEUED
select: true
value: "of 0"
OneHop\ProtocolViolation, node node-0, may have executed: false
  Unexpected answer to the handshake (SELECT was not answered with OK), node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; check what listens at that address
  1 SELECT 1, 1 SELECT 0, 2 GET key, 2 SELECT 1, 3 SELECT 1
-- a number
select: true
value: "of 0"
OneHop\ProtocolViolation, node node-0, may have executed: false
  Unexpected answer to the handshake (SELECT was not answered with OK), node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; check what listens at that address
  1 SELECT 1, 1 SELECT 0, 2 GET key, 2 SELECT 1, 3 SELECT 1
-- nil
select: true
value: "of 0"
OneHop\ProtocolViolation, node node-0, may have executed: false
  Unexpected answer to the handshake (SELECT was not answered with OK), node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; check what listens at that address
  1 SELECT 1, 1 SELECT 0, 2 GET key, 2 SELECT 1, 3 SELECT 1
-- two
select: true
value: "of 0"
OneHop\ProtocolViolation, node node-0, may have executed: false
  Unexpected answer to the handshake (a reply that was not asked for), node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; check what listens at that address
  1 SELECT 1, 1 SELECT 0, 2 GET key, 2 SELECT 1, 3 SELECT 1
-- a long one
select: true
value: "of 0"
OneHop\ProtocolViolation, node node-0, may have executed: false
  Unexpected answer to the handshake (SELECT was not answered with OK), node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; check what listens at that address
  1 SELECT 1, 1 SELECT 0, 2 GET key, 2 SELECT 1, 3 SELECT 1
-- an error
select: true
OneHop\ConfigInvalid, node node-0, may have executed: false
  The node refused database 0: ERR DB index is out of range, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; choose a database that every node of the server pool has and allows
OneHop\ConfigInvalid, node node-0, may have executed: false
  The node refused database 1: ERR DB index is out of range, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; choose a database that every node of the server pool has and allows
  1 SELECT 1, 1 SELECT 0, 2 SELECT 1
-- turned away
select: true
OneHop\ConfigInvalid, node node-0, may have executed: false
  The node requires a password: NOAUTH password, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; set redis_auth in the server pool
OneHop\ConfigInvalid, node node-0, may have executed: false
  The node requires a password: NOAUTH password, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; set redis_auth in the server pool
  1 SELECT 1, 1 SELECT 0, 2 SELECT 1
-- the end
select: true
value: "of 0"
OneHop\NodeDown, node node-0, may have executed: false
  Connection closed by the node during the handshake, node node-0 (127.0.0.1:PORT), server pool alpha: the command was not sent; check the node's log
  1 SELECT 1, 1 SELECT 0, 2 GET key, 2 SELECT 1, 3 SELECT 1
