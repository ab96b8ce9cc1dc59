--TEST--
An error of the old owner is the answer, not a missing key
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/moving.inc';

$refuses = ['--rename-command', 'MGET', '', '--rename-command', 'GET', ''];
[$from, $new, $other] = [lab_redis(...$refuses), lab_redis(), lab_redis()];
lab_plain($from)->set('a', 1);
$one = moving_client([$new], [$from]);
$two = moving_client([$new, $other], [$from]);
$tell = static function (OneHop\Redis $ours, callable $call) {
    $ours->clearLastError();
    return [$call($ours), strtok((string) $ours->getLastError(), ',')];
};
$keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
lab_show('get', $tell($one, fn ($ours) => $ours->get('a')));
lab_show('mGet', $tell($one, fn ($ours) => $ours->mGet(['a'])));
lab_show('mGet of several', $tell($one, fn ($ours) => $ours->mGet($keys)));
lab_show('of two nodes', $tell($two, fn ($ours) => $ours->mGet($keys)));
lab_show('in a batch', $tell($one, fn ($ours) => $ours->pipeline()->mGet($keys)->get('a')->exec()));
?>
--EXPECT--
get: [false,"ERR unknown command 'GET'"]
mGet: [false,"ERR unknown command 'MGET'"]
mGet of several: [false,"ERR unknown command 'MGET'"]
of two nodes: [false,"ERR unknown command 'MGET'"]
in a batch: [[false,false],"ERR unknown command 'GET'"]
