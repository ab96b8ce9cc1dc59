--TEST--
Over TLS everything works as over plain connections: calls, batches, transactions, subscriptions
--FILE--
<?php
require __DIR__ . '/../lab/tls.inc';
require __DIR__ . '/../lab/processes.inc';

$size = getenv('USE_ZEND_ALLOC') === '0' ? 300_000 : 3_000_000; /* Less beneath valgrind. */

foreach (['TLSv1.2', 'TLSv1.3'] as $version) {
    echo "--- $version\n";
    $nodes = [];
    for ($i = 0; $i < 4; $i++) {
        $nodes[] = lab_tls_redis('node', '--tls-protocols', $version, '--requirepass', 'word');
    }
    $plain = array_column($nodes, 1);
    $config = lab_tls_config(array_column($nodes, 0), ['redis_auth' => 'word']);
    $redis = new OneHop\Redis('alpha', $config);

    $redis->set('key', 'value');
    lab_show('GET', $redis->get('key'));

    for ($i = 0; $i < 1000; $i++) {
        $redis->hSet("user:$i", 'name', "name of $i");
    }
    $right = 0;
    for ($round = 0; $round < 3; $round++) {
        $redis->pipeline();
        for ($i = 0; $i < 1000; $i++) {
            $redis->hGet("user:$i", 'name');
        }
        foreach ($redis->exec() as $i => $name) {
            $right += $name === "name of $i";
        }
    }
    lab_show('right of 3000 in batches', $right);

    lab_show('a transaction', $redis->multi()->incr('count')->incr('count')->exec());
    lab_show('a script', $redis->eval('return redis.call("get", KEYS[1])', ['count'], 1));
    lab_show('a wait', $redis->blPop(['nothing'], 1));

    $text = str_repeat('m', 20000);
    $port = array_combine(array_column($nodes, 0), $plain)[
        port_of('news', $config, array_column($nodes, 0))
    ];
    file_put_contents($file = Lab::file("publish-$port.php"), '<?php
        $redis = new Redis();
        $redis->connect("127.0.0.1", ' . $port . ');
        $redis->auth("word");
        while ($redis->publish("news", "0" . ($text = str_repeat("m", 20000))) === 0) {
            usleep(2000);
        }
        for ($i = 1; $i < 200; $i++) {
            $redis->publish("news", $i . $text);
        }');
    Lab::start([PHP_BINARY, ...lab_php_arguments(), $file], Lab::file('publish.log'));
    $seen = [];
    $redis->subscribe(['news'], function ($redis, $channel, $message) use (&$seen) {
        $seen[] = $message;
        if (count($seen) === 200) {
            $redis->unsubscribe(['news']);
        }
    });
    $expected = array_map(fn ($i) => $i . $text, range(0, 199));
    lab_show('all 200 messages in order', $seen === $expected);

    /* All values are in one batch, although they fill every buffer on the way. */
    $value = random_bytes($size);
    $redis->pipeline();
    for ($i = 0; $i < 6; $i++) {
        $redis->set("large:$i", $value)->get("large:$i");
    }
    $right = count(array_keys($redis->exec(), $value, true));
    $right += count(array_keys($redis->mGet(['large:1', 'large:2', 'large:3']), $value, true));
    lab_show('right of 9 large values', $right);
}
?>
--EXPECT--
--- TLSv1.2
GET: "value"
right of 3000 in batches: 3000
a transaction: [1,2]
a script: "2"
a wait: []
all 200 messages in order: true
right of 9 large values: 9
--- TLSv1.3
GET: "value"
right of 3000 in batches: 3000
a transaction: [1,2]
a script: "2"
a wait: []
all 200 messages in order: true
right of 9 large values: 9
