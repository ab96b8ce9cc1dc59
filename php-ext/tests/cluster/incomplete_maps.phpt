--TEST--
Slots without an owner fail, nodes join, scripts follow their slots, a missing map has a reason
--FILE--
<?php
require __DIR__ . '/../lab/cluster.inc';

$cluster = new LabCluster(3, 0, '--cluster-require-full-coverage', 'no');
[$a, $b, $c] = $cluster->ports;
$redis = new OneHop\Redis('alpha', $cluster->config());
$redis->set('somewhere', 'else');

/* A call ends at its deadline. It is repeated if the last answer was still in flight then. */
function ask(OneHop\Redis $redis, string $key): mixed
{
    for ($left = 9; ; $left--) {
        try {
            return $redis->get($key);
        } catch (OneHop\DeadlineExceeded $late) {
            $left > 0 || throw $late;
        }
    }
}

echo "a slot without an owner\n";
$slot = 77;
$key = lab_key_in($slot);
foreach ($cluster->ports as $port) {
    $cluster->call($port, 'CLUSTER', 'DELSLOTS', (string) $slot);
}
$short = $cluster->config(['timeout' => 1500]);
lab_tell(static fn () => ask(new OneHop\Redis('alpha', $short), $key));
$second = new OneHop\Redis('alpha', $cluster->config());
lab_show('another slot', $second->get('somewhere'));
lab_tell(static fn () => ask(new OneHop\Redis('alpha', $short), $key));
$cluster->call($b, 'CLUSTER', 'ADDSLOTS', (string) $slot);
foreach ($cluster->ports as $port) {
    Lab::until(static fn () => $cluster->owns($port, $slot, $b), 'owner of the slot');
}
lab_show('SET', $redis->set($key, 'back'));
lab_show('GET', $second->get($key));

echo "a node joins and gets a slot\n";
$new = $cluster->join();
$redis->set($key = lab_key_in(99), 'moves');
$cluster->move(99, $a, $new);
lab_show('GET', $redis->get($key));
lab_show('pipeline', $second->pipeline()->get($key)->get('somewhere')->exec());

echo "scripts\n";
$script = 'return redis.call("INCR", KEYS[1])';
$key = lab_key_in(111);
lab_show('EVAL', $redis->eval($script, [$key], 1));
lab_show('EVALSHA', $redis->evalSha(sha1($script), [$key], 1));
$cluster->move(111, $a, $c);
$cluster->call($c, 'SCRIPT', 'FLUSH');
lab_show('a node that lacks the script', $redis->evalSha(sha1($script), [$key], 1));
$cluster->move(111, $c, $b);
lab_show('pipeline', $redis->pipeline()->evalSha(sha1($script), [$key], 1)->get($key)->exec());

echo "no cluster\n";
$lone = static fn (int $port) => lab_config(["127.0.0.1:$port:1"], ['cluster' => 'true']);
lab_tell(static fn () => new OneHop\Redis('alpha', $lone(lab_redis())));
$empty = new LabCluster(1, 0);
$empty->kill($empty->ports[0]);
$empty->replace($empty->ports[0]);
lab_tell(static fn () => new OneHop\Redis('alpha', $empty->config(['timeout' => 1500])));
lab_tell(static fn () => new OneHop\Redis('alpha', $lone(Lab::port())));

echo "a database, although a Redis Cluster has only database 0\n";
$config = lab_config(["127.0.0.1:$a:1"], ['cluster' => 'true', 'database' => 1]);
lab_tell(static fn () => new OneHop\Redis('alpha', $config));

echo "silent seeds do not use up the time of the seed that answers\n";
$silent = [];
for ($i = 0; $i < 3; $i++) {
    $silent[] = $server = socket_create(AF_INET, SOCK_STREAM, SOL_TCP);
    socket_bind($server, '127.0.0.1', 0);
    socket_listen($server, 0);
    socket_getsockname($server, $host, $port);
    $ports[] = $port;
    for ($j = 0; $j < 4; $j++) {
        $silent[] = $client = socket_create(AF_INET, SOCK_STREAM, SOL_TCP);
        socket_set_nonblock($client);
        @socket_connect($client, $host, $port);
    }
}
/* Two seeds, chosen at random, are asked first. */
for ($i = 0; $i < 4; $i++) {
    $config = $cluster->config([], [...$ports, $a]);
    lab_show('a call', (new OneHop\Redis('alpha', $config))->set('key', 'value'));
}

echo "a node that gives a wrong map and then falls silent: its wrong map is the reason\n";
$liars = new Liars(1);
$liars->tell([[0, 9000, $liars->ports[0]], [8000, 16383, $liars->ports[0] + 1]]);
$liars->behave('None if words[1:2] != ["SHARDS"] or first("SHARDS") else time.sleep(9) or ""');
lab_tell(fn () => $liars->client(['timeout' => 5000]));
?>
--EXPECT--
a slot without an owner
OneHop\NodeDown, node 127.0.0.1:PORT, may have executed: true
  The cluster cannot serve this now: there is no time left to try again (node 127.0.0.1:PORT answered CLUSTERDOWN Hash slot not served), node 127.0.0.1:PORT, server pool alpha: the command was answered; try again
another slot: "else"
OneHop\NodeDown, node 127.0.0.1:PORT, may have executed: true
  The cluster cannot serve this now: there is no time left to try again (node 127.0.0.1:PORT answered CLUSTERDOWN Hash slot not served), node 127.0.0.1:PORT, server pool alpha: the command was answered; try again
SET: true
GET: "back"
a node joins and gets a slot
GET: "moves"
pipeline: ["moves","else"]
scripts
EVAL: 1
EVALSHA: 2
a node that lacks the script: 3
pipeline: [4,"4"]
no cluster
OneHop\ConfigInvalid, node none, may have executed: false
  No node returned the map of the cluster: 127.0.0.1:PORT: it answered: ERR This instance has cluster support disabled, server pool alpha; correct servers, redis_auth, username or database in the server pool, or remove "cluster: true"
OneHop\ProtocolViolation, node none, may have executed: false
  No node returned the map of the cluster: 127.0.0.1:PORT: its map of the cluster was not accepted: no slot is served, server pool alpha; check the nodes of the cluster
OneHop\NodeDown, node none, may have executed: false
  No node returned the map of the cluster: 127.0.0.1:PORT: Connection refused while connecting, server pool alpha; check that the servers are running and reachable
a database, although a Redis Cluster has only database 0
OneHop\ConfigInvalid, node none, may have executed: false
  No node returned the map of the cluster: 127.0.0.1:PORT: The node refused the database: ERR SELECT is not allowed in cluster mode, server pool alpha; correct servers, redis_auth, username or database in the server pool, or remove "cluster: true"
silent seeds do not use up the time of the seed that answers
a call: true
a call: true
a call: true
a call: true
a node that gives a wrong map and then falls silent: its wrong map is the reason
OneHop\ProtocolViolation, node none, may have executed: false
  No node returned the map of the cluster: 127.0.0.1:PORT: its map of the cluster was not accepted: slot 8000 is claimed twice, server pool alpha; check the nodes of the cluster
