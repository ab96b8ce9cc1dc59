--TEST--
Messenger's transport sends, delays, delivers, acknowledges and counts as with redis://
--FILE--
<?php
require __DIR__ . '/symfony.inc';

use Symfony\Component\Messenger\Stamp\DelayStamp;

final class Job
{
    public function __construct(public int $n)
    {
    }
}

/** An application with two transports, which are two consumers of one group of one stream. */
function jobs(string $dsn)
{
    [$where, $query] = explode('?', $dsn) + [1 => ''];
    return SymfonyApplication::of(['messenger' => [
        'transports' => array_map(fn ($consumer) => [
            'dsn' => "$where/jobs/workers/$consumer?$query",
            'options' => ['delete_after_ack' => true],
        ], ['jobs' => 'one', 'other' => 'two']),
        'routing' => [Job::class => 'jobs'],
    ]]);
}

function count_of(object $transport): ?int
{
    // Symfony 5.4 cannot count.
    return method_exists($transport, 'getMessageCount') ? $transport->getMessageCount() : null;
}

/** Takes up to $limit messages, and waits for the first of them. */
function taken($transport, int $limit): array
{
    $taken = [];
    Lab::until(function () use ($transport, $limit, &$taken) {
        while (count($taken) < $limit && ($envelopes = [...$transport->get()])) {
            $transport->ack($envelopes[0]);
            $taken[] = $envelopes[0]->getMessage()->n;
        }
        return count($taken) === $limit;
    }, "message $limit");
    return $taken;
}

symfony_story(function (string $dsn) {
    $app = jobs($dsn);
    $bus = $app->get('messenger.default_bus');
    foreach (range(1, 10) as $n) {
        $bus->dispatch(new Job($n));
    }
    $transport = $app->get('messenger.transport.jobs');
    yield 'compared only: sent' => count_of($transport);
    yield 'taken' => taken($transport, 4);
    [$envelope] = [...$transport->get()];
    $transport->reject($envelope);
    yield 'rejected' => $envelope->getMessage()->n;
    yield 'taken by another' => taken($app->get('messenger.transport.other'), 5);
    $bus->dispatch(new Job(11), [new DelayStamp(20)]);
    $bus->dispatch(new Job(12), [new DelayStamp(600000)]);
    yield 'delayed' => taken($transport, 1);
    yield 'left' => [...$transport->get()];
    yield 'compared only: delayed still' => count_of($transport);
});

$port = lab_redis();
$config = lab_config([$port]);
jobs("redis://127.0.0.1:$port")->get('messenger.default_bus')->dispatch(new Job(13));
$transport = jobs("onehop://alpha?config=$config")->get('messenger.transport.jobs');
lab_show('what redis:// has sent', taken($transport, 1));
?>
--EXPECT--
taken: [1,2,3,4]
rejected: 5
taken by another: [6,7,8,9,10]
delayed: [11]
left: []
what redis:// has sent: [13]
