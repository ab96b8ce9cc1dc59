--TEST--
A node that gives a wrong map and then falls silent is reported for its wrong map
--FILE--
<?php
require __DIR__ . '/../lab/liars.inc';

$liars = new Liars(1);
$liars->tell([[0, 9000, $liars->ports[0]], [8000, 16383, $liars->ports[0] + 1]]);
$liars->behave('None if words[1:2] != ["SHARDS"] or first("SHARDS") else time.sleep(9) or ""');
lab_tell(fn () => $liars->client());
?>
--EXPECT--
OneHop\ProtocolViolation, node none, may have executed: false
  No node returned the map of the cluster: 127.0.0.1:PORT: its map of the cluster was not accepted: slot 8000 is claimed twice, server pool alpha; check the nodes of the cluster
