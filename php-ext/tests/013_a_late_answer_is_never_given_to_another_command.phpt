--TEST--
The answer that comes after the deadline is never given to another command
--FILE--
<?php
require __DIR__ . '/lab.inc';

/* Each connection answers its first command late and all others at once. */
$port = lab_node('$words = $node->command(); usleep(200000); $node->value("late value of $words[1]"); $node->serve();');
$redis = new OneHop\Redis('alpha', lab_config(["127.0.0.1:$port:1 late"], ['timeout' => 100]));
$seen = [];
for ($i = 0; $i < 5; $i++) {
    try {
        $seen[] = $redis->get("a$i");
    } catch (OneHop\DeadlineExceeded) {
        $seen[] = 'late';
    }
    usleep(150000);
}
echo implode(' ', $seen), "\n";
try {
    $redis->pipeline()->get('b1')->get('b2')->exec();
} catch (OneHop\DeadlineExceeded) {
    echo "late\n";
}
usleep(150000);

/* With time enough the very next call has its own answers. */
$redis->setOption(Redis::OPT_READ_TIMEOUT, 2);
var_dump($redis->get('c'), $redis->get('d'));
var_dump($redis->pipeline()->get('e')->get('f')->exec());
$connections = array_map(fn ($line) => (int) $line, lab_commands($port));
echo 'commands that came over a connection that owed an answer: ', count(array_filter(lab_commands($port),
    fn ($line) => preg_match('/ (a[1-9]|b1)$/', $line) && (int) $line <= 1)), "\n";
echo 'connections: ', max($connections), "\n";
?>
--EXPECT--
late late late late late
late
string(15) "late value of c"
string(10) "value of d"
array(2) {
  [0]=>
  string(10) "value of e"
  [1]=>
  string(10) "value of f"
}
commands that came over a connection that owed an answer: 0
connections: 7
