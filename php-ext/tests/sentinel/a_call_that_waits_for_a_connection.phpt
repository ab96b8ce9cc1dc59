--TEST--
A call that waits for a connection of a master that hangs goes to the next master
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/processes.inc';
require __DIR__ . '/../lab/sentinel.inc';

[$old, $process] = lab_redis_process();
$new = lab_redis();
$sentinels = new LabFakeSentinels();
$sentinels->sayAll($old, 1);
$config = $sentinels->config($old, ['pool_size' => 1]);
$page = lab_fpm([], 3);
$query = ['config' => $config];
$short = $sentinels->config($old, ['timeout' => 6000, 'pool_size' => 1], 'short.yml');
echo $page(
    '<?php
        echo json_encode((new OneHop\Redis("alpha", $_GET["config"]))->set("key", "1"));',
    $query,
), "\n";

$begin = static function (string $name, string $call, string $config): callable {
    $answer = lab_request("<?php
        try {
            \$redis = new OneHop\\Redis('alpha', \$_GET['config']);
            touch('" . Lab::file("$name.begun") . "');
            echo json_encode($call);
        } catch (OneHop\\Exception \$e) {
            echo get_class(\$e), \$e->mayHaveExecuted() ? ', may have executed' : ', not sent';
        }", ['config' => $config]);
    Lab::until(static fn () => file_exists(Lab::file("$name.begun")), 'request');
    return $answer;
};
Lab::signal($process, 19);
$holder = $begin('holder', '$redis->append("key", "!")', $short);
$nodes = '<?php echo json_encode(OneHop\Topology::status()[0]["nodes"][0]["connections"]);';
Lab::until(static fn () => json_decode($page($nodes), true)['leased'] === 1, 'leased connection');
$write = $begin('write', '$redis->set("key", "2")', $config);
$wait = $begin('wait', '$redis->blPop(["list"], 30)', $config);
usleep(300000);
$sentinels->sayAll($new, 2);
lab_plain($new)->rPush('list', 'element');
$answers = ['a write' => $write, 'a wait' => $wait, 'a write that was sent' => $holder];
foreach ($answers as $name => $answer) {
    Lab::until(static fn () => $answer() !== '', 'answer');
    echo "$name: ", $answer(), "\n";
}
lab_show('at the new master', lab_plain($new)->get('key'));
?>
--EXPECT--
true
a write: true
a wait: ["list","element"]
a write that was sent: OneHop\DeadlineExceeded, may have executed
at the new master: "2"
