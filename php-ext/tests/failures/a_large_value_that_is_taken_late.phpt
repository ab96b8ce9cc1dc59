--TEST--
If a node takes a large value late, the answer must still come by the same deadline
--DESCRIPTION--
Not beneath valgrind: it moves 32 MB.
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/*
 * The client is still writing when the node begins to read. The answer comes after 6 seconds. A
 * busy machine may need the last second for the write.
 */
$node = lab_node('
    for words in commands():
        if words[0] == "SET":
            time.sleep(3)
            reply("+OK")
        else:
            value("well")
            time.sleep(3)');
$redis = new OneHop\Redis('alpha', lab_config([$node], ['timeout' => 4000]));
lab_show('before', $redis->get('key'));
try {
    lab_show('SET', $redis->set('key', str_repeat('x', 32_000_000)));
} catch (OneHop\DeadlineExceeded $e) {
    $late = ['The node did not take the command', 'No answer'];
    echo str_replace($late, 'Late', lab_hide($e->getMessage())), "\n";
}
?>
--EXPECT--
before: "well"
Late within 4000 ms, node node-0 (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
