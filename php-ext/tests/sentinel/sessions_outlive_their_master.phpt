--TEST--
PHP's sessions live on when Sentinels replace their master
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--FILE--
<?php
require __DIR__ . '/../lab/sentinel.inc';

$lab = new LabSentinels();
$page = lab_fpm([
    'session.save_handler' => 'onehop',
    'session.save_path' => '"pool=alpha&config=' . $lab->config(['timeout' => 30000]) . '"',
], 2);
$script = '<?php
    session_id("visitor");
    session_start();
    echo $_SESSION["visits"] = ($_SESSION["visits"] ?? 0) + 1, "\n";';
echo $page($script), $page($script);
Lab::until(function () use ($lab) {
    $replica = array_values(array_diff(array_keys($lab->processes), $lab->ports))[0];
    return str_contains((string) lab_plain($replica)->get('PHPREDIS_SESSION:visitor'), 'i:2');
}, 'copied session');
$lab->kill($lab->ports[0]);
echo $page($script), $page($script);
?>
--EXPECT--
1
2
3
4
