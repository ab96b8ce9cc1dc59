--TEST--
Replies of an unexpected type, and large replies that are cut short, leave nothing behind
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

/* The key chooses the answer. For all other keys the answer is a value that names the key. */
$script = '
    answers = {
        "simple": ("+simple",),
        "number": (":12",),
        "list": ("*2", "$1", "a", "$1", "b"),
        "nested": ("*1", "*2", ":1", "$-1"),
        "null list": ("*-1",),
        "resp3": ("%1", "+a", ":1"),
        "long error": ("-ERR " + "e" * 20000,),
    }
    for words in commands():
        if words[1] == "cut":
            send("$3000000\r\n", "x" * 1000000)
            close()
        elif words[1] in answers:
            reply(*answers[words[1]])
        else:
            value("value of " + words[1])';
$port = lab_node($script);
$redis = new OneHop\Redis('alpha', lab_config(["127.0.0.1:$port:1 odd"], ['timeout' => 2000]));
$keys = ['simple', 'number', 'list', 'nested', 'null list', 'resp3', 'long error', 'cut'];
foreach ($keys as $key) {
    foreach (['get', 'hGetAll', 'incr', 'sMembers', 'type', 'xRange'] as $method) {
        try {
            @$redis->$method($key, ...($method === 'xRange' ? ['-', '+'] : []));
        } catch (RedisException) {
        }
        if (($value = $redis->get("after $method of $key")) !== "value of after $method of $key") {
            echo "$method of $key: ";
            var_dump($value);
        }
        try {
            @$redis->pipeline()->get('x')
                ->$method($key, ...($method === 'xRange' ? ['-', '+'] : []))->get('y')->exec();
        } catch (RedisException) {
        }
        $after = "after a batch with $method of $key";
        if (($value = $redis->get($after)) !== "value of $after") {
            echo "batch with $method of $key: ";
            var_dump($value);
        }
    }
}
lab_tell(fn () => $redis->get('cut'));
lab_tell(fn () => $redis->get('end'));
?>
--EXPECT--
OneHop\NodeDown, node odd, may have executed: true
  Connection closed by the node, node odd (127.0.0.1:PORT), server pool alpha: the command may have executed; try again only if the command can safely run twice
value: "value of end"
