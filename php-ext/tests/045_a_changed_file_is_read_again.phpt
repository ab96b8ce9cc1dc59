--TEST--
A changed file is read by clients made after the change; those made before keep what they have
--FILE--
<?php
require __DIR__ . '/lab.inc';

[$a, $b] = [lab_redis(), lab_redis()];
lab_plain($a)->set('where', 'a');
lab_plain($b)->set('where', 'b');
$config = lab_config([$a]);
$old = new OneHop\Redis('alpha', $config);
echo $old->get('where'), "\n";
lab_config([$b]);
$new = new OneHop\Redis('alpha', $config);
echo $old->get('where'), ' ', $new->get('where'), "\n";
file_put_contents($config, 'rubbish');
lab_tell(fn () => new OneHop\Redis('alpha', $config));
echo $old->get('where'), ' ', $new->get('where'), "\n";
unlink($config);
lab_tell(fn () => new OneHop\Redis('alpha', $config));
unset($old);
lab_config([$a]);
echo (new OneHop\Redis('alpha', $config))->get('where'), ' ', $new->get('where'), "\n";
$topology = new OneHop\Topology('alpha', $config);
lab_config([$b, $a]);
echo count($topology->nodes()), ' ', count((new OneHop\Topology('alpha', $config))->nodes()), "\n";

echo "written over and over\n";
$wrong = 0;
for ($i = 0; $i < 200; $i++) {
    $servers = array_slice([$a, $b, 7, 8, 9], 0, $i % 5 + 1);
    lab_config($servers);
    $wrong += count((new OneHop\Topology('alpha', $config))->nodes()) !== count($servers);
}
echo "wrong: $wrong\n";
?>
--EXPECT--
a
a b
OneHop\ConfigInvalid, node none, may have executed: false
  Configuration DIRECTORY/alpha.yml, line 1: the document is not a mapping of server pools: the command was not sent; correct the file, or name another one
a b
OneHop\ConfigInvalid, node none, may have executed: false
  Configuration DIRECTORY/alpha.yml: No such file or directory: the command was not sent; correct the file, or name another one
a b
1 2
written over and over
wrong: 0
