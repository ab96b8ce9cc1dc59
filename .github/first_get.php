<?php
// Sets and gets a key, in one call and in a batch: what CI does on each PHP and each server.
$redis = new OneHop\Redis('cache', $argv[1]);
$redis->set('key', 'value');
$batch = $redis->pipeline()->get('key')->del('key')->exec();
if ($batch !== ['value', 1] || $redis->get('key') !== false) {
    fwrite(STDERR, "Not what was set: " . json_encode($batch) . "\n");
    exit(1);
}
printf("OneHop %s, phpredis %s, PHP %s\n", phpversion('onehop'), phpversion('redis'), PHP_VERSION);
