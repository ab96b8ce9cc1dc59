--TEST--
OneHop\Topology says which keys another configuration seeks elsewhere
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

function pool(array $servers, string $more = ''): OneHop\Topology
{
    return OneHop\Topology::fromText('alpha', "alpha:\n  engine: redis\n$more  servers:\n   - "
        . implode("\n   - ", $servers) . "\n");
}

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
lab_show('about a third of them', count($moved) > 250 && count($moved) < 450);
lab_show('none is left out on the way back', $grown->moved($old, $keys) === $moved);
$of_b = array_filter($keys, static fn ($key) => $old->locate($key)->name === 'b');
lab_show('a server with another address', $old->moved($replaced, $keys) === array_values($of_b));
lab_show('a server with a socket', $old->moved($path, $keys) === array_values($of_b));

$sentinels = "  sentinels:\n   - 10.0.0.7:26379\n";
$watched = pool(['10.0.0.1:6379:1 a', '10.0.0.2:6379:1 b'], $sentinels);
$failed_over = pool(['10.0.0.1:6379:1 a', '10.0.0.9:6379:1 b'], $sentinels);
lab_show('with Sentinels the name counts', $watched->moved($failed_over, $keys));
file_put_contents(Lab::file('t.yml'), "alpha:\n  engine: redis\n$sentinels"
    . "  servers:\n   - 10.0.0.1:6379:1 a\n   - 10.0.0.8:6379:1 b\n");
$file = new OneHop\Topology('alpha', Lab::file('t.yml'));
lab_show('of a file, too', $file->moved($watched, $keys));
lab_show('no keys', $old->moved($replaced, []));
$of_b = array_filter(range(1, 20), static fn ($key) => $old->locate((string) $key)->name === 'b');
lab_show('numbers are keys', $old->moved($replaced, range(1, 20)) == array_values($of_b));
lab_tell(fn () => $old->moved(new stdClass(), []));
?>
--EXPECT--
nothing moves to the same servers: []
a third server takes its own keys only: true
about a third of them: true
none is left out on the way back: true
a server with another address: true
a server with a socket: true
with Sentinels the name counts: []
of a file, too: []
no keys: []
numbers are keys: true
TypeError: OneHop\Topology::moved(): Argument #1 ($next) must be of type OneHop\Topology, stdClass given
