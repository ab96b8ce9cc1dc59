--TEST--
onehop_arginfo.h was generated from onehop.stub.php as it is
--FILE--
<?php
$stub = str_replace("\r\n", "\n", file_get_contents(__DIR__ . '/../../onehop.stub.php'));
preg_match('/Stub hash: (\w+)/', file_get_contents(__DIR__ . '/../../onehop_arginfo.h'), $match);
var_dump($match[1] === sha1($stub));
?>
--EXPECT--
bool(true)
