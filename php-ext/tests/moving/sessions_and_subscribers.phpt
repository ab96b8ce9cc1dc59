--TEST--
While the ring changes, sessions are found, and subscribers hear publishers of either file
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/../lab/processes.inc';
require __DIR__ . '/moving.inc';

ob_start();
[$first, $second] = [lab_redis(), lab_redis()];
$before = lab_config(moving_names([$first]), [], 'before.yml');
$moving = lab_config(
    moving_names([$second]),
    ['moving_from' => '["' . moving_names([$first])[0] . '"]'],
    'moving.yml',
);
ini_set('session.save_handler', 'onehop');
ini_set('session.use_cookies', 0);
ini_set('session.cache_limiter', '');
$count = static function (string $config): int {
    ini_set('session.save_path', "pool=alpha&config=$config");
    session_id('id');
    session_start();
    $_SESSION['n'] = ($_SESSION['n'] ?? 0) + 1;
    session_write_close();
    return $_SESSION['n'];
};
lab_show('by the old file', [$count($before), $count($before)]);
lab_show('by the new file', [$count($moving), $count($moving)]);
$key = ['PHPREDIS_SESSION:id'];
lab_show('moved', [moving_found($first, $key), moving_found($second, $key)]);

/* A session that is destroyed is gone from both servers. */
$count($moving);
session_id('id');
session_start();
session_destroy();
lab_show('destroyed', [moving_found($first, $key), moving_found($second, $key)]);

/* By the new file each channel has another node. Patterns are subscribed on both nodes. */
$ours = moving_client([$second], [$first]);
speaker("say($first, 'news', 'by the old file'); say($second, 'news', 'by the new file');");
$heard = [];
$ours->subscribe(['news'], function ($ours, $channel, $text) use (&$heard) {
    $heard[] = $text;
    if (count($heard) === 2) {
        $ours->unsubscribe([$channel]);
    }
});
sort($heard);
lab_show('a channel', $heard);
speaker("say($first, 'news', 'by the old file'); say($second, 'news', 'by the new file');");
$heard = [];
$ours->psubscribe(['n*'], function ($ours, $pattern, $channel, $text) use (&$heard) {
    $heard[] = $text;
    if (count($heard) === 2) {
        $ours->punsubscribe([$pattern]);
    }
});
sort($heard);
lab_show('a pattern', $heard);
?>
--EXPECT--
by the old file: [1,2]
by the new file: [3,4]
moved: [[],["PHPREDIS_SESSION:id"]]
destroyed: [[],[]]
a channel: ["by the new file","by the old file"]
a pattern: ["by the new file","by the old file"]
