--TEST--
Laravel's queues take, delay, release and delete jobs; limiters work; broadcasts reach every node
--FILE--
<?php
require __DIR__ . '/laravel.inc';

laravel_story(function (callable $app) {
    $app = $app();
    foreach (['default', 'mails', '{tagged}', 'deep:er'] as $name) {
        $queue = $app['queue']->connection();
        foreach (range(1, 5) as $i) {
            $queue->pushOn($name, 'Job', ['n' => $i]);
        }
        $queue->laterOn($name, 1000, 'Job', ['n' => 6]);
        $queue->laterOn($name, -10, 'Job', ['n' => 7]);
        yield "size of $name" => $queue->size($name);
        $seen = [];
        for ($i = 0; $i < 3; $i++) {
            $job = $queue->pop($name);
            $seen[] = [$job->payload()['data']['n'], $job->attempts(), $job->getQueue()];
            $i === 1 ? $job->release(0) : $job->delete();
        }
        yield "taken from $name, one put back" => [$seen, $queue->size($name)];
        for ($seen = []; $job = $queue->pop($name); $job->delete()) {
            $seen[] = [$job->payload()['data']['n'], $job->attempts()];
        }
        yield "the rest of $name" => [
            $seen, $queue->size($name), $queue->clear($name), $queue->size($name),
        ];
        $queue->bulk(['One', 'Two', 'Three'], ['n' => 9], $name);
        yield "in bulk for $name" => [
            $queue->size($name),
            $queue->pop($name)->payload()['job'],
            $queue->clear($name),
        ];
    }
    $redis = $app['redis']->connection();
    $throttled = fn () => $redis->throttle('limit')->allow(2)->every(60)->block(0)
        ->then(fn () => 'ran', fn () => 'too many');
    yield 'throttled' => [$throttled(), $throttled(), $throttled()];
    $funnel = fn () => $redis->funnel('funnel')->limit(2)->releaseAfter(60)->block(0);
    yield 'funnelled' => $funnel()->then(fn () => $funnel()->then(
        fn () => $funnel()->then(fn () => 'three', fn () => 'only two'),
        fn () => 'only one',
    ), fn () => 'none');
    $limiter = $app[Illuminate\Cache\RateLimiter::class];
    yield 'limited' => [
        $limiter->attempt('calls', 1, fn () => 'ran'),
        $limiter->attempt('calls', 1, fn () => 'ran'),
        $limiter->remaining('calls', 1),
    ];
    yield 'pipelined' => $redis->pipeline(function ($pipe) {
        foreach (range(1, 5) as $i) {
            $pipe->set("p:$i", $i);
        }
        $pipe->get('p:3');
    });
    yield 'in a transaction' => $redis->transaction(function ($transaction) {
        $transaction->incr('{x}:a');
        $transaction->incr('{x}:b', 5);
    });
});

echo "broadcasts reach the subscribers of their channels on every node\n";
$ports = [lab_redis(), lab_redis()];
$config = lab_config($ports);
// The names of channels as Laravel sends them, one on each node.
$channels = array_values(array_map(
    fn ($key) => substr($key, strlen('laravel_database_')),
    lab_key_of_each($config, 'laravel_database_news-'),
));
$subscribers = array_map(function (int $port) {
    $socket = stream_socket_client("tcp://127.0.0.1:$port", timeout: 30);
    stream_set_timeout($socket, 30);
    fwrite($socket, "PSUBSCRIBE *\r\n");
    for ($line = ''; !str_starts_with($line, ':1');) {
        $line = fgets($socket);
    }
    return $socket;
}, $ports);
$app = laravel_app(laravel_onehop($config));
$app[Illuminate\Contracts\Broadcasting\Factory::class]->connection()
    ->broadcast($channels, 'Published', ['id' => 7, 'socket' => 'me']);
$heard = array_map(function ($socket) {
    for ($line = ''; !str_starts_with($line, '{');) {
        $line = fgets($socket);
    }
    return trim($line);
}, $subscribers);
lab_show('both heard the same', $heard[0] === $heard[1]);
$message = json_decode($heard[0], true);
lab_show('event', $message['event']);
lab_show('data', $message['data']);
lab_show('socket', $message['socket']);
?>
--EXPECT--
size of default: 7
taken from default, one put back: [[[1,1,"default"],[2,1,"default"],[3,1,"default"]],5]
the rest of default: [[[4,1],[5,1],[7,1],[2,2]],1,1,0]
in bulk for default: [3,"One",3]
size of mails: 7
taken from mails, one put back: [[[1,1,"mails"],[2,1,"mails"],[3,1,"mails"]],5]
the rest of mails: [[[4,1],[5,1],[7,1],[2,2]],1,1,0]
in bulk for mails: [3,"One",3]
size of {tagged}: 7
taken from {tagged}, one put back: [[[1,1,"{tagged}"],[2,1,"{tagged}"],[3,1,"{tagged}"]],5]
the rest of {tagged}: [[[4,1],[5,1],[7,1],[2,2]],1,1,0]
in bulk for {tagged}: [3,"One",3]
size of deep:er: 7
taken from deep:er, one put back: [[[1,1,"deep:er"],[2,1,"deep:er"],[3,1,"deep:er"]],5]
the rest of deep:er: [[[4,1],[5,1],[7,1],[2,2]],1,1,0]
in bulk for deep:er: [3,"One",3]
throttled: ["ran","ran","too many"]
funnelled: "only two"
limited: ["ran",false,0]
pipelined: [true,true,true,true,true,"3"]
in a transaction: [1,5]
broadcasts reach the subscribers of their channels on every node
both heard the same: true
event: "Published"
data: {"id":7,"socket":"me"}
socket: "me"
