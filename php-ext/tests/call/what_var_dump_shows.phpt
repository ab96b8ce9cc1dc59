--TEST--
var_dump() shows the server pool of a client, and the properties of a subclass
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

class Mine extends OneHop\Redis
{
    public int $own = 3;
}

$config = lab_config([Lab::port(), Lab::port()], ['redis_auth' => 'secret']);
$fingerprint = (new OneHop\Topology('alpha', $config))->fingerprint();
ob_start();
var_dump(new Mine('alpha', $config));
echo str_replace($fingerprint, 'FINGERPRINT', ob_get_clean());
var_dump((new ReflectionClass('OneHop\Redis'))->newInstanceWithoutConstructor());
?>
--EXPECTF--
object(Mine)#%d (4) {
  ["own"]=>
  int(3)
  ["pool"]=>
  string(5) "alpha"
  ["nodes"]=>
  int(2)
  ["fingerprint"]=>
  string(32) "FINGERPRINT"
}
object(OneHop\Redis)#%d (0) {
}
