<?php
/* Fails when phpredis.json and the loaded phpredis do not have the same methods.
 *
 *     php methods_check.php
 *
 * In: the loaded class Redis by reflection, phpredis.json, commands.json, phpredis_calls.json. Out:
 * one sentence per fault: a method that is missing in the file or in phpredis, an argument by
 * reference that is not the iterator, a position beyond the method's arguments, a command that the
 * table does not hold, a method that sends something and has no call for probe.php. Spec: route.md,
 * "phpredis' methods". */

declare(strict_types=1);

require __DIR__ . '/../reference/table.php';
require __DIR__ . '/../reference/methods.php';
require __DIR__ . '/../capture/signatures.php';

/* Calls for these would open connections or end the object's life. */
const WITHOUT_CALL = ['__construct', '__destruct', 'close', 'connect', 'pconnect', 'open', 'popen'];

function presence(array $inFile, array $loaded): array
{
    $file = array_map('strtolower', $inFile);
    $real = array_map('strtolower', $loaded);
    $faults = [];
    foreach (array_diff($real, $file) as $name) {
        $faults[] = "$name: phpredis has it, phpredis.json does not.";
    }
    foreach (array_diff($file, $real) as $name) {
        $faults[] = "$name: phpredis.json has it, phpredis does not.";
    }
    foreach (array_diff_key($file, array_unique($file)) as $name) {
        $faults[] = "$name: twice in phpredis.json.";
    }
    return $faults;
}

/** signatures.json is for one version. If that version is loaded, reflection must agree with it. */
function signatures(ReflectionClass $class, string $version): array
{
    $page = json_decode(
        file_get_contents(__DIR__ . '/../../route/signatures.json'),
        true,
        flags: JSON_THROW_ON_ERROR,
    );
    $loaded = $page['version'] === $version ? all_signatures($class) : $page['methods'];
    $stale = array_keys(
        array_diff_assoc($loaded, $page['methods']) + array_diff_assoc($page['methods'], $loaded),
    );
    return array_map(fn ($name) => "$name: signatures.json is stale, run signatures.php.", $stale);
}

/** The positions in an entry must exist; a variadic method has all. phpredis 5.3.7 does not list
 * optional arguments, so with that version only references are compared. */
function positions(string $name, array $entry, ReflectionMethod $method, bool $complete): array
{
    $faults = [];
    $parameters = $method->getParameters();
    $variadic = $parameters !== [] && end($parameters)->isVariadic();
    $places = array_merge(
        array_column($entry['keys'] ?? [], 'argument'),
        array_column($entry['keys'] ?? [], 'count'),
        [$entry['timeout']['argument'] ?? 0, $entry['subcommand'] ?? 0],
    );
    if ($complete && !$variadic && $parameters !== [] && max($places) >= count($parameters)) {
        $faults[] = "$name: argument " . max($places) . " is named, the method has "
            . count($parameters) . '.';
    }
    foreach ($parameters as $place => $parameter) {
        if ($parameter->isPassedByReference() !== (($entry['iterator'] ?? null) === $place)) {
            $faults[] = "$name: phpredis.json is wrong on whether argument $place is a reference.";
        }
    }
    return $faults;
}

function meaning(string $name, array $entry, Table $table, array $calls): array
{
    $faults = [];
    $sends = in_array($entry['kind'], ['command', 'raw', 'mode', 'subscription'], true);
    foreach (array_merge((array) ($entry['command'] ?? []), $entry['also'] ?? []) as $command) {
        if (!isset($table->commands[$command])) {
            $faults[] = "$name: commands.json has no $command.";
        }
    }
    if ((
        $table->commands[$entry['command'] ?? '']['container'] ?? false
    ) !== isset($entry['subcommand'])) {
        $faults[] = "$name: subcommand must be given for a container and for nothing else.";
    }
    if ($sends && empty($calls)) {
        $faults[] = "$name: phpredis_calls.json has no call of it for this version.";
    }
    $owed = ['local' => 'answer', 'own' => 'answer', 'refused' => 'reason'][$entry['kind']] ?? null;
    if ($owed !== null && !isset($entry[$owed])) {
        $faults[] = "$name: what does OneHop answer, or why does it refuse?";
    }
    return $faults;
}

/** Where the calls of a method go, in the words of commands.json. */
function whereTo(array $entry, Table $table): string
{
    if ($entry['kind'] !== 'command' && $entry['kind'] !== 'subscription') {
        return $entry['kind'];
    }
    return isset($entry['subcommand'])
        ? 'by subcommand'
        : $table->commands[$entry['command']]['spread'];
}

function counted(array $counts): string
{
    ksort($counts);
    return implode(
        ', ',
        array_map(fn ($what, $count) => "$count $what", array_keys($counts), $counts),
    );
}

$version = phpversion('redis');
$methods = new Methods($version);
$table = new Table();
$calls = json_decode(
    file_get_contents(__DIR__ . '/../../route/phpredis_calls.json'),
    true,
    flags: JSON_THROW_ON_ERROR,
)['calls'];
$class = new ReflectionClass('Redis');
$faults = presence(
    array_keys($methods->all),
    array_map(fn ($method) => $method->getName(), $class->getMethods()),
);
array_push($faults, ...signatures($class, $version));
$kinds = [];
$spreads = [];
foreach ($methods->all as $name => $alias) {
    $entry = $methods->find($name);
    $kinds[$entry['kind']] = ($kinds[$entry['kind']] ?? 0) + 1;
    $where = whereTo($entry, $table);
    $spreads[$where] = ($spreads[$where] ?? 0) + 1;
    if ($class->hasMethod($name)) {
        $complete = version_compare($version, '6', '>=');
        array_push($faults, ...positions($name, $entry, $class->getMethod($name), $complete));
    }
    $here = array_filter(
        $calls[$name] ?? [],
        fn ($call) => in_array($version, $call['versions'] ?? [$version], true),
    );
    if (!in_array($name, WITHOUT_CALL, true)) {
        array_push($faults, ...meaning($name, $entry, $table, $here));
    }
}
echo "phpredis $version: ", count($methods->all), ' methods: ', counted($kinds), ".\n";
echo 'Their calls go: ', counted($spreads), '; ', count($faults), " wrong.\n";
echo implode("\n", $faults), $faults ? "\n" : '';
exit($faults ? 1 : 0);
