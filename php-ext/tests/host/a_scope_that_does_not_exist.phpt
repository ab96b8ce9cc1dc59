--TEST--
An unknown scope of connections is reported when PHP starts
--INI--
onehop.pool_scope=hots
display_startup_errors=1
--FILE--
<?php
echo "begun\n";
?>
--EXPECTF--
%AWarning: OneHop: onehop.pool_scope is host or process, not hots: each process has its own connections in %s
begun
