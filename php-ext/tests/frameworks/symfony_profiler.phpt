--TEST--
Symfony's profiler shows what a request has asked of each node, its session included
--FILE--
<?php
require __DIR__ . '/symfony.inc';

use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpKernel\HttpKernelInterface;

final class Home
{
    public static string $config;
    public static Symfony\Component\HttpKernel\Kernel $kernel;

    public function __invoke(Request $request): Response
    {
        $redis = new OneHop\Redis('alpha', self::$config);
        $keys = lab_key_of_each(self::$config);
        if ($request->query->has('in')) {
            $redis->get($keys['node-1']);
            return new Response('a fragment');
        }
        $request->getSession()->set('user', 7);
        $redis->set($keys['node-0'], 'value');
        $redis->pipeline()->get($keys['node-0'])->get($keys['node-1'])->exec();
        try {
            $redis->get($keys['node-2']);
        } catch (OneHop\NodeDown) {
        }
        $fragment = Request::create('/?in=1');
        $fragment->setSession($request->getSession());
        self::$kernel->handle($fragment, HttpKernelInterface::SUB_REQUEST);
        return new Response('<html><body>home</body></html>');
    }
}

$views = '@WebProfilerBundle/Resources/config/routing';
file_put_contents(Lab::file('routes.php'), <<<PHP
    <?php
    use Symfony\Component\Routing\Loader\Configurator\RoutingConfigurator;
    return static function (RoutingConfigurator \$routes) {
        \$routes->add('home', '/')->controller('home');
        \$routes->import('$views/wdt.xml')->prefix('/_wdt');
        \$routes->import('$views/profiler.xml')->prefix('/_profiler');
    };
    PHP);
Home::$config = lab_config([lab_redis(), lab_redis(), Lab::port()]);
$sessions = lab_config([lab_redis()], [], 'sessions.yml');
$framework = [
    'router' => ['resource' => Lab::file('routes.php'), 'utf8' => true],
    'session' => [
        'handler_id' => "onehop://alpha?config=$sessions",
        'storage_factory_id' => 'session.storage.factory.native',
    ],
];

/** The application's answer, as its web server gets it. */
function answer(Symfony\Component\HttpKernel\Kernel $kernel, string $uri): Response
{
    $request = Request::create($uri);
    $response = $kernel->handle($request);
    $kernel->terminate($request, $response);
    return $response;
}

/** What a person reads on a page, without the spaces. */
function words(string $html): string
{
    return trim(preg_replace('/\s+/', ' ', html_entity_decode(strip_tags($html))));
}

$app = SymfonyApplication::of(
    $framework + ['profiler' => ['enabled' => true]],
    function ($container): void {
        $container->loadFromExtension('web_profiler', ['toolbar' => true]);
        $container->register('home', Home::class)->setPublic(true);
    },
    new Symfony\Bundle\TwigBundle\TwigBundle(),
    new Symfony\Bundle\WebProfilerBundle\WebProfilerBundle(),
);
$kernel = Home::$kernel = $app->get('kernel');
$token = answer($kernel, '/')->headers->get('X-Debug-Token');
// This call belongs to no request.
(new OneHop\Redis('alpha', Home::$config))->set(lab_key_of_each(Home::$config)['node-0'], '1');
/* This must come before the first output, because each request begins a session. */
$panel = answer($kernel, "/_profiler/$token?panel=onehop");
$toolbar = answer($kernel, "/_wdt/$token");

$profile = $app->get('profiler')->loadProfile($token);
$totals = $profile->getCollector('onehop')->getTotals();
lab_show('time', $totals['time'] > 0);
unset($totals['time']);
lab_show('totals', $totals);
foreach ($profile->getCollector('onehop')->getPools() as $pool => $nodes) {
    foreach ($nodes as $node) {
        $counts = "{$node['calls']} calls, {$node['errors']} failed";
        echo basename($pool), ", {$node['node']}: $counts\n";
    }
}
lab_show('a subrequest', $profile->getChildren()[0]->getCollector('onehop')->getTotals()['calls']);

echo "\npages\n";
lab_show('the panel', $panel->getStatusCode());
preg_match('~<h2>OneHop.*?</table>.*?</table>~s', $panel->getContent(), $match);
echo preg_replace('~[\d.]+ ms~', 'TIME', lab_hide(words($match[0] ?? $panel->getContent()))), "\n";
lab_show('the toolbar', $toolbar->getStatusCode());
preg_match(
    '~<div class="sf-toolbar-block sf-toolbar-block-onehop sf-toolbar-status-(\w+) [^>]*>(.*?)</a>'
        . '(.*?)</div>\s*</div>\s*</div>~s',
    $toolbar->getContent(),
    $match,
);
echo lab_hide(words("$match[1]: $match[2] $match[3]")), "\n";

echo "\nwithout a profiler\n";
$plain = SymfonyApplication::of($framework, function ($container): void {
    $container->register('home', Home::class)->setPublic(true);
});
lab_show('a listener', array_filter(
    $plain->get('event_dispatcher')->getListeners('kernel.request'),
    fn ($listener) => $listener[0] instanceof OneHop\Symfony\CallsCollector,
));
?>
--EXPECT--
time: true
totals: {"calls":7,"errors":1}
alpha.yml, node-0: 2 calls, 0 failed
alpha.yml, node-1: 2 calls, 0 failed
alpha.yml, node-2: 1 calls, 1 failed
sessions.yml, node-0: 2 calls, 0 failed
a subrequest: 0

pages
the panel: 200
OneHop: calls by node 7 Calls 1 Failed alpha of DIRECTORY/alpha.yml Node Address Calls Failed Time State after the request node-0 127.0.0.1:PORT 2 0 TIME up node-1 127.0.0.1:PORT 2 0 TIME up node-2 127.0.0.1:PORT 1 1 TIME resting: Connection refused while connecting alpha of DIRECTORY/sessions.yml Node Address Calls Failed Time State after the request node-0 127.0.0.1:PORT 2 0 TIME up
the toolbar: 200
red: 7 node-0 2 node-1 2 node-2 1, 1 failed node-0 2

without a profiler
a listener: []
