--TEST--
Where Symfony takes a Redis DSN, onehop:// serves caches, tags, locks, semaphores, sessions, limits
--FILE--
<?php
require __DIR__ . '/symfony.inc';

use Symfony\Component\RateLimiter\RateLimiterFactory;
use Symfony\Component\Semaphore\Store\StoreFactory as SemaphoreStores;

symfony_story(function (string $dsn) {
    $_ENV['REDIS_DSN'] = $dsn; // What .env says.
    $more = str_contains($dsn, '?') ? '&' : '?';
    $app = SymfonyApplication::of(
        [
            'cache' => [
                'app' => 'cache.adapter.redis',
                'default_redis_provider' => $dsn,
                'pools' => [
                    'cache.tagged' => ['adapter' => 'cache.adapter.redis_tag_aware'],
                    'cache.other' => [
                        'adapter' => 'cache.adapter.redis', 'provider' => '%env(REDIS_DSN)%',
                        'tags' => true,
                    ],
                ],
            ],
            'lock' => '%env(REDIS_DSN)%',
            'session' => [
                'handler_id' => "$dsn{$more}prefix=shop&ttl=600",
                'storage_factory_id' => 'session.storage.factory.mock_file',
            ],
            'rate_limiter' => [
                'calls' => ['policy' => 'fixed_window', 'limit' => 2, 'interval' => '60 minutes'],
            ],
        ],
        function ($container) { // As framework.semaphore of Symfony 6.1 does.
            $container->register('semaphores', Symfony\Component\Semaphore\Store\RedisStore::class)
                ->setFactory([SemaphoreStores::class, 'createStore'])
                ->setArguments(['%env(REDIS_DSN)%']);
        },
    );
    foreach (['cache.app', 'cache.tagged', 'cache.other'] as $name) {
        $cache = $app->get($name);
        foreach (range(1, 40) as $i) {
            $item = $cache->getItem("item.$i")->set($i);
            $name === 'cache.app' || $item->tag([$i % 2 ? 'odd' : 'even']);
            $cache->saveDeferred($item);
        }
        $sum = fn () => array_sum(array_map(
            fn ($item) => $item->get(),
            iterator_to_array($cache->getItems(array_map(fn ($i) => "item.$i", range(1, 40)))),
        ));
        yield "$name, sum of items" => [$cache->commit(), $sum()];
        if ($name !== 'cache.app') {
            yield "$name, without odd ones" => [$cache->invalidateTags(['odd']), $sum()];
        }
    }
    yield 'one pool cleared' => [
        $app->get('cache.app')->clear(),
        $app->get('cache.other')->hasItem('item.2'),
    ];
    $locks = $app->get('lock.factory');
    [$mine, $theirs] = [$locks->createLock('job'), $locks->createLock('job')];
    yield 'locked' => [$mine->acquire(), $theirs->acquire(), $mine->release(), $theirs->acquire()];
    $semaphores = new Symfony\Component\Semaphore\SemaphoreFactory($app->get('semaphores'));
    $of = fn () => $semaphores->createSemaphore('gate', 2);
    [$one, $two, $three] = [$of(), $of(), $of()];
    yield 'two pass' => [
        $one->acquire(), $two->acquire(), $three->acquire(), $one->release(), $three->acquire(),
    ];
    $handler = $app->get('session.handler');
    $handler->open('', 'PHPSESSID');
    $handler->read('id');
    yield 'a session' => [$handler->write('id', 'user|i:7;'), $handler->close()];
    $again = $app->get('session.handler');
    $again->open('', 'PHPSESSID');
    yield 'read again' => [$again->read('id'), $again->close()];
    $client = str_starts_with($dsn, 'onehop:')
        ? (new OneHop\Symfony\Dsn($dsn))->client()
        : lab_plain(parse_url($dsn, PHP_URL_PORT));
    yield 'its key' => [$client->exists('shopid'), $client->ttl('shopid') > 0];
    $limiter = $app->get('limiter.calls')->create('me');
    $accepted = fn () => $limiter->consume()->isAccepted();
    yield 'limited' => [$accepted(), $accepted(), $accepted()];
});

echo "what is refused\n";
$config = lab_config([lab_redis()]);
$app = SymfonyApplication::of(['lock' => [
    'mistaken' => "onehop://alpha?config=$config&lazy=1",
    'absent' => "onehop://alpha?config=$config&database=99",
    'file' => "onehop://$config?pool=alpha",
]]);
lab_tell(fn () => $app->get('lock.mistaken.factory'));
lab_tell(fn () => $app->get('lock.absent.factory'));
lab_show('the DSN of a file', $app->get('lock.file.factory')->createLock('job')->acquire());
lab_tell(fn () => new OneHop\Symfony\Dsn('onehop://alpha?database=x'));
lab_tell(fn () => OneHop\Symfony\Services::sessionHandler("onehop://alpha/1?config=$config"));
$one = lab_config([lab_redis()], ['engine' => 'redis', 'redis' => null, 'database' => 1]);
(new OneHop\Redis('alpha', $one))->set('where', 'in the database of the pool');
$zero = new OneHop\Symfony\Dsn("onehop://alpha?config=$one&database=0");
lab_show('in database 0', $zero->client()->get('where'));

echo "a tag-aware pool logs what it has not read\n";
$log = new class extends Psr\Log\AbstractLogger {
    public int $count = 0;

    public function log($level, $message, array $context = []): void
    {
        $this->count++;
    }
};
$dead = lab_config(['127.0.0.1:' . Lab::port() . ':1 node-0']);
$pool = OneHop\Symfony\Services::tagAwareAdapter(new OneHop\Redis('alpha', $dead));
$pool->setLogger($log);
lab_show('hit', $pool->getItem('item')->isHit());
lab_show('logged', $log->count > 0);
?>
--EXPECT--
cache.app, sum of items: [true,820]
cache.tagged, sum of items: [true,820]
cache.tagged, without odd ones: [true,420]
cache.other, sum of items: [true,820]
cache.other, without odd ones: [true,420]
one pool cleared: [true,true]
locked: [true,false,null,true]
two pass: [true,true,false,null,true]
a session: [true,true]
read again: ["user|i:7;",true]
its key: [1,true]
limited: [true,true,false]
what is refused
InvalidArgumentException: Here a DSN onehop:// has no "lazy": write onehop://POOL?config=FILE&database=N.
InvalidArgumentException: A DSN asks for database 99, and a node of its server pool alpha refuses it: ERR DB index is out of range
the DSN of a file: true
InvalidArgumentException: In a DSN onehop:// the database is a number, as in database=1.
InvalidArgumentException: Here a DSN onehop:// has no "1": write onehop://POOL?config=FILE&database=N.
in database 0: false
a tag-aware pool logs what it has not read
hit: false
logged: true
