--TEST--
A subscriber hears those who publish by the old file and those by the new one
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';
require __DIR__ . '/../lab/speaker.inc';
require __DIR__ . '/moving.inc';

/* Each channel has another node by the new file, and patterns are at both. */
[$first, $second] = [lab_redis(), lab_redis()];
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
a channel: ["by the new file","by the old file"]
a pattern: ["by the new file","by the old file"]
