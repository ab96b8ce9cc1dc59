<?php

/*
 * Differences that are meant, with their reasons. They end the comparison of their case, because
 * the two sides are in different states from there on.
 */

/** True if an argument that is a key, or a list of keys, is or holds anything but text. */
function has_odd_key(string $method, array $arguments): bool
{
    $hasList = in_array(strtolower($method), ['del', 'unlink', 'exists', 'mget'], true);
    $keys = $hasList ? $arguments : array_slice($arguments, 0, 1);
    if ($hasList && count($keys) === 1 && is_array(current($keys))) {
        $keys = current($keys);
    }
    return $keys === [] || array_filter($keys, is_string(...)) !== $keys;
}

/* Reason => a function that is true if it explains the faults: (faults, step, outcome of ours). */
const KNOWN = [
    'OneHop converts a key that is not a text before it chooses the node.' => 'is_of_odd_key',
    'OneHop does not send a transaction without commands.' => 'is_empty_transaction',
    'If a call throws, OneHop sends nothing of it; phpredis does.' => 'is_withheld',
    'OneHop throws if the transaction in a pipeline has failed.' => 'is_refused_transaction',
    'OneHop names a reply whose form does not fit its command.' => 'is_violation',
    'In a transaction OneHop refuses commands that belong to no node.' => 'is_without_node',
];

function is_of_odd_key(array $faults, array $step): bool
{
    return !in_array(strtolower($step[0]), ['pipeline', 'multi', 'exec', 'discard'], true)
        && has_odd_key($step[0], made($step[1]));
}

function is_without_node(array $faults, array $step, array $ours): bool
{
    return ($ours['thrown'][0] ?? '') === 'OneHop\\Unsupported'
        && str_contains($ours['thrown'][1], 'cannot be used in a transaction');
}

function is_empty_transaction(array $faults, array $step): bool
{
    return array_keys($faults) === ['bytes']
        && in_array($faults['bytes'][0], [EMPTY_EXEC, EMPTY_DISCARD], true);
}

const EMPTY_EXEC = "*1\r\n\$5\r\nMULTI\r\n*1\r\n\$4\r\nEXEC\r\n";
const EMPTY_DISCARD = "*1\r\n\$5\r\nMULTI\r\n*1\r\n\$7\r\nDISCARD\r\n";

function is_refused_transaction(array $faults, array $step, array $ours): bool
{
    return str_starts_with($ours['thrown'][0] ?? '', 'OneHop\\')
        && preg_match('/refused a transaction|EXEC did not return/', $ours['thrown'][1]);
}

function is_violation(array $faults, array $step, array $ours): bool
{
    return ($ours['thrown'][0] ?? '') === 'OneHop\\ProtocolViolation';
}

function is_withheld(array $faults, array $step, array $ours): bool
{
    return ($faults['bytes'][1] ?? null) === '' && throws_itself($step, $ours);
}

/** True if the call has thrown because of the script: an object or its error handler. */
function throws_itself(array $step, array $ours): bool
{
    $has = false;
    array_walk_recursive($step[1], function ($value) use (&$has) {
        $has = $has || is_object($value);
    });
    return ($has || ($ours['thrown'][0] ?? '') === 'ErrorException') && $ours['thrown'] !== null;
}
