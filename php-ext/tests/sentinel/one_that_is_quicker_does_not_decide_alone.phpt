--TEST--
A Sentinel that lies, and answers sooner than all others, is not obeyed
--DESCRIPTION--
Not beneath valgrind: the others must answer within half a second.
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/sentinel.inc';

[$right, $wrong] = [lab_redis(), lab_redis()];
$fakes = new LabFakeSentinels();
$fakes->sayAll($right, 1);
$fakes->say(0, $wrong, 1000000000);
$fakes->delay(1, 60);
$fakes->delay(2, 60);
$config = $fakes->config($right);
$redis = new OneHop\Redis('alpha', $config);
$begun = $fakes->questions(0);
for ($i = 0; $fakes->questions(0) < $begun + 3; $i++) {
    $redis->set("key:$i", 'value');
    usleep(2000);
}
lab_show('writes where the liar wanted them', lab_plain($wrong)->dbSize());
lab_show('all other writes at the right server', lab_plain($right)->dbSize() === $i);

echo "short requests, each of which ends before the others have answered\n";
$page = '<?php
    echo (new OneHop\Redis("alpha", $_GET["file"]))->set(uniqid(), "value") ? "set" : "not set";';
$fpm = lab_fpm();
$query = ['file' => $config];
$fpm($page, $query);
$begun = $fakes->questions(0);
for ($i = 0; $fakes->questions(0) < $begun + 3; $i++) {
    $fpm($page, $query);
}
lab_show('writes where the liar wanted them', lab_plain($wrong)->dbSize());
?>
--EXPECT--
writes where the liar wanted them: 0
all other writes at the right server: true
short requests, each of which ends before the others have answered
writes where the liar wanted them: 0
