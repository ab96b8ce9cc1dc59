--TEST--
Commands that only the nodes know, and renamed ones, bring their keys, too
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/moving.inc';

$options = ['--loadmodule', lab_module(), '--rename-command', 'INCR', 'PLUS'];
$ports = [lab_redis(...$options), lab_redis(...$options)];
$old = moving_client([$ports[0]]);
$ours = moving_client([$ports[1]], [$ports[0]]);
$old->set('n', 1);
$old->set('text', 'old');
lab_show('renamed', $ours->rawCommand('PLUS', 'n'));
lab_show('a module reads', $ours->rawCommand('ONEHOP.GET', 'text'));
lab_show('a module writes', $ours->rawCommand('ONEHOP.SET', 'text', 'new'));
lab_show('and reads', $ours->get('text'));
lab_show('left', moving_found($ports[0], ['n', 'text']));
/* A node that the caller has chosen gets the command as it is. */
$old->set('other', 1);
lab_show('chosen', $ours->onNode('node-1', 'GET', 'other'));
?>
--EXPECT--
renamed: 2
a module reads: "old"
a module writes: true
and reads: "new"
left: []
chosen: false
