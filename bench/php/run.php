<?php
/*
 * Runs the subjects of JobsBench on machines without PHPBench, and prints the median time.
 *
 *     php -d extension=php-ext/modules/onehop.so bench/php/run.php [GROUP] [ITERATIONS]
 */
declare(strict_types=1);

require __DIR__ . '/subject.php';

[$group, $iterations] = [$argv[1] ?? '', (int) ($argv[2] ?? 10)];
Servers::start();
register_shutdown_function([Servers::class, 'stop']);
foreach (Subject::all() as $name => $subject) {
    if ($group !== '' && !in_array($group, $subject->attribute('Groups'), true)) {
        continue;
    }
    foreach ($subject->params() as $variant => $params) {
        $times = [];
        for ($i = -1; $i < $iterations; $i++) {
            [$times[$i]] = $subject->run($params);
        }
        unset($times[-1]); // The first is a warm-up.
        sort($times);
        $median = $times[intdiv($iterations, 2)] / 1000;
        printf("%-10s %-40s %12.1f us\n", $name, $variant, $median);
    }
}
