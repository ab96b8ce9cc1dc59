--TEST--
OneHop\Topology shows where keys live and why, and which of them another configuration moves
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

function pool(array $servers, string $more = ''): OneHop\Topology
{
    return OneHop\Topology::fromText('alpha', "alpha:\n  engine: redis\n$more  servers:\n   - "
        . implode("\n   - ", $servers) . "\n");
}

$text = <<<'YAML'
alpha:
  listen: 127.0.0.1:22121
  hash: fnv1a_64
  hash_tag: "{}"
  distribution: ketama
  redis: true
  servers:
   - 127.0.0.1:6379:1 first
   - /tmp/second.sock:2 second
   - 127.0.0.1:6381:1 third
YAML;
$topology = OneHop\Topology::fromText('alpha', $text);
file_put_contents(Lab::file('t.yml'), $text);
$same = new OneHop\Topology('alpha', Lab::file('t.yml'));
lab_show(
    'a text and a file have the same fingerprint',
    $topology->fingerprint() === $same->fingerprint(),
);
lab_show('length of the fingerprint', strlen($topology->fingerprint()));
foreach ($topology->nodes() as $node) {
    lab_show("node $node->index", $node);
}
lab_show('a node is one object', $topology->locate('key') === $topology->locate('key'));
$told = $topology->explain('user:{42}:name');
echo implode(' ', array_keys($told)), ': ', $told['hashed'], ' ', $told['hash_function'], ' ',
    $told['distribution'], "\n";
lab_show(
    'explain() has the hash of the tag',
    $told['hash'] === OneHop\Topology::hash('fnv1a_64', '42'),
);
lab_show('and the node', $told['node'] === $topology->locate('{42}'));

$dead = OneHop\Topology::fromText('alpha', $text, [$topology->locate('key')->name]);
lab_show(
    'without its node the key is on another node',
    $dead->locate('key')->name !== $topology->locate('key')->name,
);
lab_show('nodes, including the dead one', count($dead->nodes()));
lab_show('the same fingerprint', $dead->fingerprint() === $topology->fingerprint());
$dead_by_file = new OneHop\Topology('alpha', Lab::file('t.yml'), dead: [
    $topology->locate('key')->name,
]);
lab_show(
    'a topology of a file places the key alike',
    $dead_by_file->locate('key')->name === $dead->locate('key')->name,
);
lab_tell(fn () => OneHop\Topology::fromText('alpha', $text, ['nobody']));
lab_tell(fn () => OneHop\Topology::fromText('beta', $text));
lab_tell(fn () => OneHop\Topology::fromText('beta', 'x'));
lab_tell(fn () => OneHop\Topology::hash('sha1', 'x'));
lab_show('fault of a good text', OneHop\Topology::check($text));
lab_show('faults of a bad text', OneHop\Topology::check("alpha:\n  hash: none\n"));
lab_tell(fn () => clone $topology);
lab_tell(fn () => serialize($topology));
lab_tell(fn () => $topology->locate('key')->name = 'x');
lab_tell(fn () => new OneHop\Node());
lab_show('slot of foo', OneHop\Topology::slot('foo'));
lab_show('slot of {foo}bar', OneHop\Topology::slot('{foo}bar'));

echo "keys that another configuration seeks elsewhere\n";
$keys = array_map(static fn ($i) => "key:$i", range(1, 1000));
$old = pool(['10.0.0.1:6379:1 a', '10.0.0.2:6379:1 b']);
$same = pool(['10.0.0.1:6379:1 a', '10.0.0.2:6379:1 b']);
$grown = pool(['10.0.0.1:6379:1 a', '10.0.0.2:6379:1 b', '10.0.0.3:6379:1 c']);
$replaced = pool(['10.0.0.1:6379:1 a', '10.0.0.9:6379:1 b']);
$path = pool(['10.0.0.1:6379:1 a', '/run/b.sock:1 b']);

lab_show('nothing moves to the same servers', $old->moved($same, $keys));
$moved = $old->moved($grown, $keys);
$expected = array_filter($keys, static fn ($key) => $grown->locate($key)->name === 'c');
lab_show('a third server takes its own keys only', $moved === array_values($expected));
lab_show('about a third of the keys', count($moved) > 250 && count($moved) < 450);
lab_show('the same keys move back', $grown->moved($old, $keys) === $moved);
$of_b = array_filter($keys, static fn ($key) => $old->locate($key)->name === 'b');
lab_show('a server with another address', $old->moved($replaced, $keys) === array_values($of_b));
lab_show('a server with a socket', $old->moved($path, $keys) === array_values($of_b));

$sentinels = "  sentinels:\n   - 10.0.0.7:26379\n";
$watched = pool(['10.0.0.1:6379:1 a', '10.0.0.2:6379:1 b'], $sentinels);
$failed_over = pool(['10.0.0.1:6379:1 a', '10.0.0.9:6379:1 b'], $sentinels);
lab_show('with Sentinels the name counts', $watched->moved($failed_over, $keys));
file_put_contents(Lab::file('watched.yml'), "alpha:\n  engine: redis\n$sentinels"
    . "  servers:\n   - 10.0.0.1:6379:1 a\n   - 10.0.0.8:6379:1 b\n");
$file = new OneHop\Topology('alpha', Lab::file('watched.yml'));
lab_show('with Sentinels of a file, too', $file->moved($watched, $keys));
lab_show('no keys', $old->moved($replaced, []));
$of_b = array_filter(range(1, 20), static fn ($key) => $old->locate((string) $key)->name === 'b');
lab_show('numbers are keys', $old->moved($replaced, range(1, 20)) == array_values($of_b));
lab_tell(fn () => $old->moved(new stdClass(), []));
?>
--EXPECT--
a text and a file have the same fingerprint: true
length of the fingerprint: 32
node 0: {"index":0,"name":"first","host":"127.0.0.1","port":6379,"path":null,"weight":1,"isEjected":false,"role":null}
node 1: {"index":1,"name":"third","host":"127.0.0.1","port":6381,"path":null,"weight":1,"isEjected":false,"role":null}
node 2: {"index":2,"name":"second","host":null,"port":null,"path":"/tmp/second.sock","weight":2,"isEjected":false,"role":null}
a node is one object: true
key hashed hash_function hash distribution point node: 42 fnv1a_64 ketama
explain() has the hash of the tag: true
and the node: true
without its node the key is on another node: true
nodes, including the dead one: 3
the same fingerprint: true
a topology of a file places the key alike: true
ValueError: $dead must be names of servers of server pool alpha
OneHop\ConfigInvalid, node none, may have executed: false
  There is no server pool beta in the configuration, only alpha; name one of these
OneHop\ConfigInvalid, node none, may have executed: false
  Configuration, line 1: the document is not a mapping of server pools; correct the file, or name another one
ValueError: OneHop\Topology::hash(): Argument #1 ($algorithm) must be the name of a hash of a configuration
fault of a good text: null
faults of a bad text: {"line":2,"reason":"directive \"hash\" is not a valid hash: \"none\"","errors":[{"line":2,"reason":"directive \"hash\" is not a valid hash: \"none\""}],"more":0}
Error: Trying to clone an uncloneable object of class OneHop\Topology
Exception: Serialization of 'OneHop\Topology' is not allowed
Error: Cannot modify readonly property OneHop\Node::$name
Error: Call to private OneHop\Node::__construct() from global scope
slot of foo: 12182
slot of {foo}bar: 12182
keys that another configuration seeks elsewhere
nothing moves to the same servers: []
a third server takes its own keys only: true
about a third of the keys: true
the same keys move back: true
a server with another address: true
a server with a socket: true
with Sentinels the name counts: []
with Sentinels of a file, too: []
no keys: []
numbers are keys: true
TypeError: OneHop\Topology::moved(): Argument #1 ($next) must be of type OneHop\Topology, stdClass given
