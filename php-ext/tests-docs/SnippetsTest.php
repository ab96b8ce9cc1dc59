<?php

/*
 * Every block of code in README.md and docs/ is run as it stands. A block that is a configuration
 * file is checked by the program that reads such files. So a new block is run by default. For
 * single blocks this page has only what stands around them, or the reason why they cannot run.
 *
 * A PHP block is a script of its own, with the settings of a php.ini and three live nodes. Only
 * addresses and paths are replaced: /etc/nutcracker.yml by a file with these nodes.
 *
 * Java's blocks, and once more all server pools, are run by SnippetsTest.java.
 */

require_once __DIR__ . '/Block.php';

use PHPUnit\Framework\TestCase;

final class SnippetsTest extends TestCase
{
    /** What stands around a BLOCK that needs data or has a result. */
    private const AROUND = [
        'README.md, Use it, php 1' => <<<'PHP'
            (new OneHop\Redis('alpha'))->rPush('{jobs}:low', 'a job');
            ob_start();
            BLOCK
            assert(str_contains(ob_get_clean(), 'user:1'));
            assert($name === 'Ada' && $a === '1' && $job === ['{jobs}:low', 'a job']);
            assert($redis->get('{cart:7}:items') === '1');
            PHP,
        'docs/symfony.md, Without the bundle, php 1' => self::SYMFONY . "\n" . <<<'PHP'
            BLOCK
            $cache = new Symfony\Component\Cache\Adapter\RedisAdapter($redis, 'app');
            assert($cache->save($cache->getItem('item')->set('kept')));
            assert($cache->getItem('item')->get() === 'kept');
            PHP,
        'docs/symfony.md, Without the bundle, php 2' => self::SYMFONY . "\n" . <<<'PHP'
            $redis = new OneHop\Redis('alpha');
            BLOCK
            $cache = new Symfony\Component\Cache\Adapter\TagAwareAdapter(
                new Symfony\Component\Cache\Adapter\RedisAdapter($redis, 'tagged'),
            );
            for ($i = 0; $i < 20; $i++) {
                $cache->save($cache->getItem("item$i")->set('kept')->tag('all'));
            }
            assert($cache->getItem('item7')->get() === 'kept');
            assert($cache->invalidateTags(['all']));
            for ($i = 0; $i < 20; $i++) {
                assert(!$cache->getItem("item$i")->isHit());
            }
            $redis->onEachNode('flushdb');
            PHP,
        'docs/migrating-from-sharded-clients.md, Copying, php 1' => <<<'PHP'
            foreach ([['10.0.0.1', 6379], ['10.0.0.2', 6379]] as [$host, $port]) {
                $old = new Redis();
                $old->connect($host, $port);
                $old->mSet(["of $port" => 'kept', "also of $port" => 'kept']);
                $old->expire("of $port", 1000);
            }
            BLOCK
            assert($to->dbSize() === 4);
            assert($to->get("of $port") === 'kept' && $to->ttl("of $port") > 900);
            assert($to->ttl("also of $port") === -1);
            PHP,
    ];
    private const SYMFONY = <<<'PHP'
        error_reporting(E_ALL & ~E_DEPRECATED & ~E_USER_DEPRECATED);
        foreach (['Cache', 'Lock', 'HttpFoundation'] as $component) {
            require_once "/usr/share/php/Symfony/Component/$component/autoload.php";
        }
        PHP;

    private const NOT_IN_DEBIAN = 'This product was tried by hand, as the page says.';

    /** The blocks that are not run, and why. */
    private const NOT_RUN = [
        'docs/install.md, Java, kotlin 1' => "Debian's Gradle, 4.4, does not read Kotlin.",
        'docs/frameworks.md, CakePHP, php 1' => self::NOT_IN_DEBIAN,
        'docs/frameworks.md, WordPress with wp-redis, php 1' => self::NOT_IN_DEBIAN,
        'docs/frameworks.md, WordPress with redis-cache, php 1' => self::NOT_IN_DEBIAN,
        'docs/frameworks.md, Drupal with redis, php 1' => self::NOT_IN_DEBIAN,
        'docs/frameworks.md, Yii 2, php 1' => self::NOT_IN_DEBIAN,
        "docs/frameworks.md, Magento's cache, php 1" => self::NOT_IN_DEBIAN,
        "docs/frameworks.md, Magento's sessions, php 1" => self::NOT_IN_DEBIAN,
        "docs/frameworks.md, Magento's sessions, php 2" => self::NOT_IN_DEBIAN,
    ];

    /** @var int[] The two servers of a program that shards by itself, before it migrates. */
    private static array $old;
    /** @var int[] */
    private static array $nodes;
    private static string $config;

    public static function setUpBeforeClass(): void
    {
        self::$nodes = [lab_redis(), lab_redis(), lab_redis()];
        self::$old = [lab_redis(), lab_redis()];
        self::$config = lab_config(self::$nodes, ['hash_tag' => '"{}"']);
        $cache = lab_config(self::$nodes, ['hash_tag' => '"{}"', 'database' => 1]);
        $text = str_replace('alpha:', 'alpha_cache:', file_get_contents($cache));
        file_put_contents(self::$config, $text, FILE_APPEND);
    }

    protected function setUp(): void
    {
        foreach ([...self::$nodes, ...self::$old] as $port) {
            lab_plain($port)->flushAll();
        }
    }

    public static function blocks(): iterable
    {
        foreach (Block::all() as $name => $block) {
            $isElsewhere = $block->isQuotation || $block->language === 'java';
            if (!$isElsewhere && !isset(self::NOT_RUN[$name])) {
                yield $name => [$block];
            }
        }
    }

    /** @dataProvider blocks */
    public function testTheBlockWorks(Block $block): void
    {
        match ($block->language) {
            'php' => $this->runs($block),
            'ini' => $this->keepsASession($block->text),
            'yaml' => match (1) {
                preg_match('/^ +servers:/m', $block->text) => $this->isAConfiguration($block->text),
                preg_match('/^framework:/m', $block->text) => $this->isOfSymfony($block->text),
                preg_match('/^scrape_configs:/m', $block->text) =>
                    $this->isOfPrometheus($block->text),
            },
            'nginx' => $this->isOfNginx($block->text),
            'xml' => $this->isOfMaven($block->text),
            'properties' => $this->isOfSpring($block->text),
            'dotenv' => $this->isOfLaravel($block->text),
            'sh' => $this->isOfAShell($block->text),
            default => $this->fail("Write a check for blocks of $block->language, or a reason."),
        };
    }

    public function testTheTablesNameOnlyBlocksThatExist(): void
    {
        $this->assertSame([], array_diff_key(self::AROUND + self::NOT_RUN, Block::all()));
    }

    /** Quotations are compared with the source, and a recipe of the source is run by its test. */
    public function testEveryRecipeIsTested(): void
    {
        $java = self::root() . '/java/jedis/src/test/java/io/onehop/jedis/docs';
        foreach ([
            [__DIR__ . '/recipes.php', '/^function (\w+)/m', __DIR__ . '/RecipesTest.php'],
            ["$java/Recipes.java", '/^    static .* (\w+)\(/m', "$java/RecipesTest.java"],
        ] as [$recipes, $function, $test]) {
            $this->assertNotFalse(preg_match_all($function, file_get_contents($recipes), $names));
            $this->assertGreaterThan(4, count($names[1]));
            foreach ($names[1] as $name) {
                $this->assertStringContainsString("$name(", file_get_contents($test));
            }
        }
    }

    /** A block of PHP, with what it needs, as a script of its own. */
    private function runs(Block $block): void
    {
        $script = str_replace('BLOCK', $block->text, self::AROUND[$block->name] ?? 'BLOCK');
        $this->assertSame([0, ''], $this->ended($script));
    }

    /** A block of php.ini: a session is started with these settings, and is on a node. */
    private function keepsASession(string $settings): void
    {
        mkdir(Lab::file('conf.d'));
        file_put_contents(Lab::file('conf.d/block.ini'), $this->here($settings));
        $script = 'session_start(); $_SESSION["name"] = "Ada"; session_write_close();'
            . '$key = (new OneHop\Redis("alpha"))->keys("*" . session_id());'
            . 'assert(count($key) === 1);';
        try {
            $this->assertSame([0, ''], $this->ended($script));
        } finally {
            unlink(Lab::file('conf.d/block.ini'));
            rmdir(Lab::file('conf.d'));
        }
    }

    private function isAConfiguration(string $text): void
    {
        putenv('REDIS_PASSWORD=secret');
        putenv('REDIS_HOST=redis-1.example.org');
        putenv('ZONE=eu-west-1a');
        $this->assertNull(OneHop\Topology::check($text));
        $this->assertNotEmpty(OneHop\Topology::fromText('alpha', $text)->nodes());
    }

    /** A framework.yaml: an application with it uses each of its DSNs. */
    private function isOfSymfony(string $text): void
    {
        require_once '/usr/share/php/Symfony/Component/Yaml/autoload.php';
        $framework = Symfony\Component\Yaml\Yaml::parse($text)['framework'];
        $framework['session']['storage_factory_id'] = 'session.storage.factory.mock_file';
        $framework = var_export($framework, true);
        $this->assertSame([0, ''], $this->ended(<<<PHP
            require REPOSITORY . '/php-ext/tests/frameworks/symfony.inc';
            \$app = SymfonyApplication::of($framework);
            \$cache = \$app->get('cache.app');
            \$cache->save(\$cache->getItem('item')->set('kept'));
            assert(\$app->get('lock.factory')->createLock('job', null, false)->acquire());
            \$handler = \$app->get('session.handler');
            \$handler->open('', 'name');
            \$handler->read('id');
            assert(\$handler->write('id', 'data'));
            \$job = new Symfony\Component\Messenger\Envelope(new stdClass());
            \$app->get('messenger.transport.jobs')->send(\$job);
            /* The lock's store has a key of its own for a millisecond. */
            \$keys = (new OneHop\Redis('alpha'))->keys('*');
            assert(count(array_diff(\$keys, ['symfony_check_support_time'])) === 4);
            PHP));
    }

    /** Lines of .env: an application with Laravel's defaults and these keeps its cache on nodes. */
    private function isOfLaravel(string $lines): void
    {
        $lines = var_export(parse_ini_string($lines), true);
        $this->assertSame([0, ''], $this->ended(<<<PHP
            require REPOSITORY . '/php-ext/tests/frameworks/laravel.inc';
            \$cache = laravel_app($lines)['cache']->store();
            \$cache->put('item', 'kept', 60);
            assert(\$cache->get('item') === 'kept');
            assert(count((new OneHop\Redis('alpha_cache'))->keys('*cache*item')) === 1);
            PHP));
    }

    private function isOfPrometheus(string $text): void
    {
        copy(self::root() . '/monitoring/onehop.rules.yml', Lab::file('onehop.rules.yml'));
        file_put_contents(Lab::file('prometheus.yml'), $text);
        exec('promtool check config ' . Lab::file('prometheus.yml') . ' 2>&1', $output, $status);
        $this->assertSame(0, $status, implode("\n", $output));
    }

    /** A location of nginx: nginx tests the configuration of a server with it. */
    private function isOfNginx(string $location): void
    {
        copy('/etc/nginx/fastcgi_params', Lab::file('fastcgi_params'));
        file_put_contents(
            Lab::file('nginx.conf'),
            'pid ' . Lab::file('nginx.pid') . "; events {} http { server {\n$location\n} }",
        );
        $command = '/usr/sbin/nginx -e stderr -t -c ' . Lab::file('nginx.conf');
        exec("$command 2>&1", $output, $status);
        $this->assertSame(0, $status, implode("\n", $output));
    }

    /** A part of a pom.xml: it is XML, and its versions are those of our own pom.xml. */
    private function isOfMaven(string $part): void
    {
        $block = simplexml_load_string($part);
        $this->assertNotFalse($block);
        $ours = simplexml_load_file(self::root() . '/java/pom.xml');
        foreach ($block->xpath('descendant-or-self::dependency') as $dependency) {
            $this->assertSame('io.onehop', (string) $dependency->groupId);
            $this->assertSame((string) $ours->version, (string) $dependency->version);
            $module = substr($dependency->artifactId, strlen('onehop-'));
            $this->assertFileExists(self::root() . "/java/$module/pom.xml");
        }
        if ($block->getName() === 'properties') {
            $same = array_intersect_key((array) $ours->properties, (array) $block);
            $this->assertEquals((array) $block, $same);
        }
    }

    /** Properties of an application: the Spring Boot starter knows all properties of OneHop. */
    private function isOfSpring(string $text): void
    {
        $metadata = '/java/spring-boot-starter/src/main/resources/META-INF'
            . '/spring-configuration-metadata.json';
        $known = json_decode(file_get_contents(self::root() . $metadata), true);
        $this->assertGreaterThan(0, preg_match_all('/^(onehop[\w.-]*)=/m', $text, $names));
        $this->assertSame([], array_diff($names[1], array_column($known['properties'], 'name')));
    }

    /**
     * Commands that build or install; .ci/test-deb runs these in bare systems. Here the shell can
     * parse them, make knows its targets, and files that are built have the version of this source.
     */
    private function isOfAShell(string $commands): void
    {
        exec('sh -n -c ' . escapeshellarg($commands) . ' 2>&1', $output, $status);
        $this->assertSame(0, $status, implode("\n", $output));
        preg_match_all('/\bmake ([a-z][a-z-]*)/', preg_replace('/#.*/', '', $commands), $targets);
        foreach ($targets[1] as $target) {
            $makefile = file_get_contents(self::root() . '/Makefile');
            $this->assertMatchesRegularExpression("/^$target:/m", $makefile, "make $target");
        }
        preg_match_all('/\bonehop[-_](\d+\.\d+\.\d+)/', $commands, $versions);
        $this->assertSame([], array_diff($versions[1], [phpversion('onehop')]));
    }

    /** How a script ended, and what it printed to stderr. Every PHP warning is there. */
    private function ended(string $script): array
    {
        $repository = var_export(self::root(), true);
        file_put_contents(
            Lab::file('block.php'),
            "<?php\nconst REPOSITORY = $repository;\n" . $this->here($script),
        );
        $process = proc_open(
            [
                PHP_BINARY, '-d', 'extension=' . LAB_EXTENSION,
                '-d', 'onehop.config=' . self::$config,
                '-d', 'display_errors=stderr', '-d', 'log_errors=0', '-d', 'error_reporting=-1',
                '-d', 'zend.assertions=1', Lab::file('block.php'),
            ],
            [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['pipe', 'w']],
            $pipes,
            null,
            ['PHP_INI_SCAN_DIR' => ':' . Lab::file('conf.d')] + getenv(),
        );
        $errors = stream_get_contents($pipes[2]);
        return [proc_close($process), $errors];
    }

    /** The text with the addresses and paths of this test. */
    private function here(string $text): string
    {
        return strtr($text, [
            '/etc/nutcracker.yml' => self::$config,
            '/etc/onehop.yml' => self::$config,
            "'10.0.0.1', 6379" => "'127.0.0.1', " . self::$old[0],
            "'10.0.0.2', 6379" => "'127.0.0.1', " . self::$old[1],
        ]);
    }

    private static function root(): string
    {
        return dirname(__DIR__, 2);
    }
}
