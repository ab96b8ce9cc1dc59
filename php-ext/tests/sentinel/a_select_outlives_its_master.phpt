--TEST--
If select() goes on at the next master, other objects stay in their own databases
--FILE--
<?php
require __DIR__ . '/../lab/sentinel.inc';

$lab = new LabSentinels();
$config = $lab->config(['timeout' => 30000, 'pool_size' => 1]);
[$chooses, $stays] = [new OneHop\Redis('alpha', $config), new OneHop\Redis('alpha', $config)];
$stays->set('key', 'of 0');
$lab->kill($lab->ports[0]);
lab_show('select', $chooses->select(5));
/* Both objects use one connection. */
$stays->set('key', 'of 0, after');
$chooses->set('key', 'of 5');
lab_show('values', [$stays->get('key'), $chooses->get('key'), $chooses->getDbNum()]);
$plain = lab_plain(array_values(array_diff(array_keys($lab->processes), $lab->ports))[0]);
foreach ([0, 5] as $database) {
    $plain->select($database);
    lab_show("database $database", [$plain->dbSize(), $plain->get('key')]);
}
?>
--EXPECT--
select: true
values: ["of 0, after","of 5",5]
database 0: [1,"of 0, after"]
database 5: [1,"of 5"]
