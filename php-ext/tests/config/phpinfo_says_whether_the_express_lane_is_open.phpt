--TEST--
phpinfo() says whether the express lane is open
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

foreach (['1', '0'] as $setting) {
    $text = lab_run(
        '<?php (new ReflectionExtension("onehop"))->info();',
        settings: ['onehop.express_lane' => $setting],
    );
    preg_match('/^Express lane => .*/m', $text, $line);
    echo $line[0], "\n";
}
?>
--EXPECT--
Express lane => open
Express lane => closed
