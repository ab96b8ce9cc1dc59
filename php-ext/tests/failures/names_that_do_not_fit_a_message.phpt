--TEST--
A message whose names are too long is cut between two characters, and keeps its advice
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

$names = array_map(fn ($i) => str_repeat("\u{e9}", 120) . "$i%s%n", range(1, 4));
$servers = array_map(fn ($i) => "   - 127.0.0.1:$i:1 " . $names[$i - 1] . "\n", range(1, 4));
file_put_contents(Lab::file('names.yml'), "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n"
    . "  hash: fnv1a_64\n  distribution: ketama\n  servers:\n" . implode('', $servers));
$redis = new OneHop\Redis('alpha', Lab::file('names.yml'));

$seen = [];
foreach (['', 'p', "\x01\x02", str_repeat("\0", 300), str_repeat('%n', 99)] as $prefix) {
    $redis->setOption(Redis::OPT_PREFIX, $prefix);
    foreach (["\u{e9}", "\0", "\\", '%s', 'k', "\xff"] as $byte) {
        for ($i = 0; $i < 60; $i++) {
            $one = str_repeat('x', $i) . str_repeat($byte, 1 << 16);
            try {
                $redis->sInterStore("$i", $one, "z$one");
            } catch (OneHop\CrossNode $refused) {
                $text = '([ -\[\]-\~]|\\\\x[0-9a-f]{2})+';
                $form = "~^SINTERSTORE needs $text, server pool alpha: the command was not sent;"
                    . " set hash_tag: \"\{\}\" in the server pool and give both keys the same hash"
                    . " tag, such as \"$text\" and \"$text\"( after the prefix)?$~";
                $seen[preg_match($form, $refused->getMessage())][] = $refused->getMessage();
            } catch (OneHop\NodeDown) { /* These keys are on one node. */
            }
        }
    }
}
echo count($seen[1]) > 1000 ? 'many' : count($seen[1]), " messages have their form\n";
echo count($seen[0] ?? []), " do not\n", $seen[0][0] ?? '', "\n";
?>
--EXPECT--
many messages have their form
0 do not
