<?php

/* Generates cases and compares them; fuzz.py starts this program beside the scripted node. */

require_once __DIR__ . '/compare.php';
require_once __DIR__ . '/cases.php';

/** The parts of a case that still differ. */
function reduced(Comparison $comparison, array $case): array
{
    $deadline = microtime(true) + 20;
    for ($size = intdiv(count($case['steps']), 2); $size > 0; $size = intdiv($size, 2)) {
        for ($at = 0; $at < count($case['steps']) && microtime(true) < $deadline;) {
            $smaller = $case;
            array_splice($smaller['steps'], $at, $size);
            if ($comparison->differ($smaller) !== null) {
                $case = $smaller;
            } else {
                $at += $size;
            }
        }
    }
    return $case;
}

function script_of(array $case): string
{
    $text = "<?php // php-ext/fuzz/lane/fuzz.py --script THIS\nreturn [";
    foreach (array_diff_key($case, ['steps' => 0]) as $name => $value) {
        $text .= "'$name' => " . written($value) . ', ';
    }
    $text .= "'steps' => [\n";
    foreach ($case['steps'] as $step) {
        $text .= '    ' . written($step) . ",\n";
    }
    return "$text]];\n";
}

function report(Comparison $comparison, array $case, string $difference): bool
{
    if ($comparison->differ($case) === null) {
        return false; // The machine caused it, such as by a timeout.
    }
    $case = reduced($comparison, $case);
    echo "DIFFERENCE, seed $case[seed]: " . ($comparison->differ($case) ?? $difference) . "\n",
        script_of($case), "\n";
    return true;
}

$options = json_decode(getenv('ONEHOP_FUZZ'), true);
ini_set('memory_limit', '2G');
$control = stream_socket_client("tcp://127.0.0.1:{$options['ports'][2]}");
$comparison = new Comparison(
    $options['ports'],
    $options['config'],
    $control,
    $options['both'] ?? '',
);
$differences = $passing = 0;
if ($options['script']) {
    echo $comparison->differ(require $options['script']) ?? 'no difference', "\n";
    exit(0);
}
/** A line for fuzz.py. This process may end at any time, because phpredis may crash. */
function tell(int $next): void
{
    global $comparison, $differences, $passing;
    echo json_encode([
        'next' => $next, 'cases' => $comparison->casesCount, 'calls' => $comparison->callsCount,
        'differences' => $differences, 'passing' => $passing, 'known' => $comparison->known,
    ]), "\n";
}

register_shutdown_function(static function () {
    $error = error_get_last();
    if ($error && $error['type'] & (E_ERROR | E_CORE_ERROR | E_COMPILE_ERROR | E_PARSE)) {
        echo json_encode(['fatal' => "$error[message] ($error[file]:$error[line])"]), "\n";
    }
});
$cases = new Cases($options['table']);
$deadline = microtime(true) + $options['seconds'];
tell($options['from']);
for ($i = $options['from']; $i < $options['cases'] && microtime(true) < $deadline; $i++) {
    $case = $cases->make($options['seed'] * 1_000_003 + $i);
    $case['rate'] = isset($options['usual']) ? 0 : $case['rate'];
    $difference = $comparison->differ($case);
    if ($i % 50 === 0) {
        tell($i);
    }
    if ($difference !== null) {
        report($comparison, $case, $difference) ? $differences++ : $passing++;
        if ($differences >= $options['differences']) {
            break;
        }
    }
}
tell($i);
