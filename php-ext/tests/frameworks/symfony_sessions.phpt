--TEST--
Symfony's RedisSessionHandler keeps sessions on all nodes
--FILE--
<?php
require __DIR__ . '/framework.inc';
framework('Symfony/Component/HttpFoundation');

use Symfony\Component\HttpFoundation\Session\Storage\Handler\RedisSessionHandler;

framework_story(function (callable $client) {
    $kept = $gone = 0;
    foreach (range(1, 20) as $i) {
        $id = hash('md5', "session $i");
        $handler = new RedisSessionHandler($client(), ['prefix' => 'sf_s', 'ttl' => 600]);
        $handler->open('', 'PHPSESSID');
        $handler->read($id);
        $handler->write($id, "user|i:$i;");
        $handler->close();
        $next = new RedisSessionHandler($client(), ['prefix' => 'sf_s', 'ttl' => 600]);
        $next->open('', 'PHPSESSID');
        $kept += $next->validateId($id) && $next->read($id) === "user|i:$i;" && $next
            ->updateTimestamp($id, "user|i:$i;");
        @$next->destroy($id);
        $gone += $client()->exists("sf_s$id") === 0;
        $next->close();
    }
    yield 'kept and found' => $kept;
    yield 'destroyed' => $gone;
    yield 'collected by the server' => is_int((new RedisSessionHandler($client()))->gc(1));
});
?>
--EXPECT--
kept and found: 20
destroyed: 20
collected by the server: true
on several nodes
