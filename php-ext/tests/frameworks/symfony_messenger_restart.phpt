--TEST--
Messenger's worker loses no message while the node of its stream is killed and comes back
--FILE--
<?php
require __DIR__ . '/symfony.inc';

use Symfony\Component\EventDispatcher\EventDispatcher;
use Symfony\Component\Messenger\Event\WorkerRunningEvent;
use Symfony\Component\Messenger\Exception\TransportException;
use Symfony\Component\Messenger\Handler\HandlersLocator;
use Symfony\Component\Messenger\MessageBus;
use Symfony\Component\Messenger\Middleware\HandleMessageMiddleware;
use Symfony\Component\Messenger\Transport\Receiver\ReceiverInterface;
use Symfony\Component\Messenger\Worker;

final class Job
{
    public function __construct(public int $n)
    {
    }
}

const SAVING = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];

/** Runs a worker as messenger:consume does, until the condition holds or it ends with a failure. */
function work(ReceiverInterface $jobs, array &$handled, callable $isEnough): ?string
{
    $bus = new MessageBus([new HandleMessageMiddleware(new HandlersLocator([
        Job::class => [function (Job $job) use (&$handled): void {
            $handled[] = $job->n;
        }],
    ]))]);
    $events = new EventDispatcher();
    $events->addListener(WorkerRunningEvent::class, function ($event) use ($isEnough): void {
        $isEnough() && $event->getWorker()->stop();
    });
    try {
        (new Worker(['jobs' => $jobs], $bus, $events))->run(['sleep' => 1000]);
        return null;
    } catch (TransportException $e) {
        return get_class($e->getPrevious());
    }
}

/** What happens to a worker while the node of its stream is killed and started again. */
function live_through(string $config, string $stream, callable $kill, callable $start): void
{
    $app = SymfonyApplication::of(['messenger' => [
        'transports' => array_map(fn ($consumer) => [
            'dsn' => "onehop://alpha/$stream/workers/$consumer?config=$config",
            // Messages that another worker took but did not acknowledge come again at once.
            'options' => [
                'delete_after_ack' => true, 'redeliver_timeout' => 0, 'claim_interval' => 0,
            ],
        ], ['jobs' => 'one', 'other' => 'two']),
        'routing' => [Job::class => 'jobs'],
    ]]);
    $sender = $app->get('messenger.default_bus');
    $jobs = $app->get('messenger.transport.jobs');

    $sent = $handled = [];
    $send = function (int $from, int $to) use ($sender, &$sent): void {
        for ($n = $from; $n <= $to; $n++) {
            try {
                $sender->dispatch(new Job($n));
                $sent[] = $n;
            } catch (TransportException) {
                return; // The caller counts what was sent, and tries again or shows it.
            }
        }
    };
    $send(1, 50);
    lab_show('a worker that is stopped', work($jobs, $handled, function () use (&$handled) {
        return count($handled) >= 20;
    }));
    // Takes messages and acknowledges none, like a worker that is killed then.
    [...$app->get('messenger.transport.other')->get()];
    $kill();
    $send(51, 60);
    lab_show('sent while the node is dead', array_values(array_filter($sent, fn ($n) => $n > 50)));
    lab_show('a worker ends with', work($jobs, $handled, fn () => false));
    $start();
    $end = microtime(true) + 30;
    while (count($sent) < 60 && microtime(true) < $end) {
        $send(count($sent) + 1, 60);
    }
    /* A supervisor starts the worker again, and once more if the node still rests. */
    $isDone = function () use (&$sent, &$handled, $end) {
        return array_diff($sent, $handled) === [] || microtime(true) > $end;
    };
    do {
        $ended = work($jobs, $handled, $isDone);
    } while ($ended !== null && microtime(true) < $end);
    lab_show('sent', count($sent));
    lab_show('lost', array_values(array_diff($sent, $handled)));
}

echo "a ring\n";
[$port, $id] = lab_redis_process(...SAVING);
$config = lab_config([lab_redis(), $port, lab_redis()], ['hash_tag' => '"{}"']);
live_through(
    $config,
    lab_key_of_each($config)['node-1'],
    fn () => Lab::stop($id),
    fn () => Lab::ask('redis', [
        'port' => $port, 'directory' => Lab::file("redis-$port"), 'options' => SAVING,
    ]),
);

echo "a cluster\n";
$cluster = new LabCluster(3, 0, ...SAVING);
$owner = $cluster->owner(lab_slot('jobs'));
live_through(
    $cluster->config(name: 'cluster.yml'),
    'jobs',
    fn () => $cluster->kill($owner),
    fn () => $cluster->start($owner),
);
?>
--EXPECT--
a ring
a worker that is stopped: null
sent while the node is dead: []
a worker ends with: "OneHop\\NodeDown"
sent: 60
lost: []
a cluster
a worker that is stopped: null
sent while the node is dead: []
a worker ends with: "OneHop\\NodeDown"
sent: 60
lost: []
