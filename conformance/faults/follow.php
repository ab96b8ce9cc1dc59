<?php
/*
 * Answers JSON: the node on which this worker finds a key now, when it asked, and how many server
 * pools of that path its host knows.
 */
declare(strict_types=1);

$asked = hrtime(true);
$where = (new OneHop\Redis('alpha', $_GET['path']))->get('where');
usleep((int) ($_GET['pause'] ?? 0)); /* Meanwhile other workers are asked, too. */
$paths = array_column(OneHop\Topology::status(), 'path');
echo json_encode([
    'where' => $where,
    'asked' => $asked,
    'pid' => getmypid(),
    'pools' => count(array_keys($paths, $_GET['path'], true)),
]);
