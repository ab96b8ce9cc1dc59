<?php
/*
 * On which node this worker finds a key now, and when it asked; and how many server pools its host knows of that path:
 * as JSON.
 */
declare(strict_types=1);

$asked = hrtime(true);
$where = (new OneHop\Redis('alpha', $_GET['path']))->get('where');
usleep((int) ($_GET['pause'] ?? 0)); /* So that others are asked, too. */
echo json_encode(['where' => $where, 'asked' => $asked, 'pid' => getmypid(), 'pools' => count(
    array_keys(array_column(OneHop\Topology::status(), 'path'), $_GET['path'], true),
)]);
