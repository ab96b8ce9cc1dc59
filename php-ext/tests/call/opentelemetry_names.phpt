--TEST--
The hooks for OpenTelemetry see every method that asks a node, and have the name of its command
--DESCRIPTION--
ext-opentelemetry is not a package of Debian, so hook() only notes here what would be hooked.
--FILE--
<?php
namespace OpenTelemetry\Instrumentation {
    use Closure;

    function hook(string $class, string $method, ?Closure $pre = null, ?Closure $post = null): bool
    {
        global $hooked;
        $hooked[strtolower($method)] = [$class, $pre !== null, $post !== null];
        return true;
    }
}

namespace OpenTelemetry\API\Instrumentation {
    final class CachedInstrumentation
    {
    }
}

namespace {
    use OneHop\OpenTelemetry\Hooks;

    require __DIR__ . '/../../opentelemetry/onehop-opentelemetry.php';

    $spec = file_get_contents(__DIR__ . '/../../../spec/route/phpredis.json');
    $entries = array_change_key_case(json_decode($spec, true)['methods']);
    $of_node = ['oneachnode', 'onnode', 'rawcommand', 'exec', 'discard', 'watch', 'unwatch'];
    $silent = ['local', 'refused', 'subscription', 'mode'];
    foreach ((new ReflectionClass(OneHop\Redis::class))->getMethods() as $method) {
        $name = strtolower($method->name);
        $entry = $entries[$name] ?? ['kind' => 'ours'];
        $entry = isset($entry['alias']) ? $entries[strtolower($entry['alias'])] : $entry;
        $asks = in_array($name, $of_node, true) || !in_array($entry['kind'], $silent, true);
        $is = $hooked[$name] ?? null;
        if ($asks !== ($is === [OneHop\Redis::class, true, true])) {
            echo "$name: ", json_encode($is), "\n";
        }
        $command = strtoupper($entry['command'] ?? '');
        if ($command && $command !== Hooks::command($name, [[]])) {
            echo "$name: $command or ", Hooks::command($name, [[]]), "\n";
        }
        if (isset($entry['subcommand']) && Hooks::command($name, ['it']) !== "$command IT") {
            echo "$name: ", Hooks::command($name, ['it']), "\n";
        }
    }
    echo json_encode($hooked['__construct']), "\n";
    echo implode(', ', [
        Hooks::command('get', ['key']),
        Hooks::command('rawcommand', ['get', 'key']),
        Hooks::command('onnode', ['one', 'config', 'get']),
        Hooks::command('oneachnode', ['dbSize']),
    ]), "\n";
}
--EXPECT--
["OneHop\\Redis",false,true]
GET, GET, CONFIG GET, DBSIZE
