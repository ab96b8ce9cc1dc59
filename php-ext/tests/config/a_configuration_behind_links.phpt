--TEST--
Workers follow a link to the configuration within two seconds; a dangling link changes nothing
--DESCRIPTION--
Not beneath valgrind: valgrind does not follow the workers of php-fpm.
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../lab/lab.inc';

const WORKERS = 6;
[$a, $b] = [lab_redis(), lab_redis()];
foreach (['a' => $a, 'b' => $b] as $name => $port) {
    lab_plain($port)->set('where', $name);
    mkdir(Lab::file($name));
    rename(lab_config([$port], [], "$name.yml"), Lab::file("$name/n.yml"));
}
register_shutdown_function(
    static fn () => exec('rm -rf ' . implode(' ', array_map(Lab::file(...), ['a', 'b', '..data']))),
);
/*
 * Replaces the link as Kubernetes does. Other programs do it, because PHP's own functions would
 * clear PHP's cache of links.
 */
$lead_to = static fn (string $target)
    => exec(sprintf('cd %s && ln -s %s beside && mv -T beside ..data', Lab::$directory, $target));
$lead_to('a');
$config = Lab::file('n.yml');
exec("ln -s ..data/n.yml $config");

$page = lab_fpm(['display_errors' => '0', 'log_errors' => '1'], WORKERS);
$script = '<?php
    $redis = new OneHop\Redis("alpha", $_GET["config"]);
    echo getmypid(), " ", $redis->get("where");
    usleep(20000);';
$all = static function () use ($page, $script, $config): string {
    $seen = [];
    for ($i = 0; count($seen) < WORKERS && $i < 100; $i++) {
        foreach ($page($script, ['config' => $config], WORKERS) as $answer) {
            [$worker, $where] = explode(' ', $answer, 2);
            $seen[$worker] = $where;
        }
    }
    return count($seen) . ' workers see ' . implode(' ', array_unique($seen)) . "\n";
};
$later = static function () use ($page, $script, $config): void {
    usleep(1100000);
    $page($script, ['config' => $config]);
};
echo $all();
$lone = static fn () => (new OneHop\Redis('alpha', $config))->get('where');
echo 'a lone process sees ', $lone(), "\n";
foreach (['b', 'a', 'b'] as $target) {
    $lead_to($target);
    $later();
    echo $all(), 'a lone process sees ', $lone(), "\n";
}
echo "the link leads nowhere\n";
$lead_to('nowhere');
$later();
ini_set('error_log', Lab::file('log'));
echo $all(), 'a lone process sees ', $lone(), "\n", preg_replace(
    '/^\[.*?\] /m',
    '',
    str_replace(Lab::$directory, 'DIRECTORY', file_get_contents(Lab::file('log'))),
);
$lead_to('a');
$later();
echo $all(), 'a lone process sees ', $lone(), "\n";

echo implode("\n", lab_fpm_told(
    '/\d+\.\d % of the keys of server pool alpha move \(generation \d\)/',
    4,
)), "\n", 'warnings: ',
    count(lab_fpm_told('/the configuration read before stays in use/', 1)), "\n";
$status = json_decode($page('<?php echo json_encode(OneHop\Topology::status());'), true);
echo 'server pools: ', count($status), "\n";

echo "a path leads where the kernel finds it\n";
mkdir(Lab::file('b/deep'));
exec(sprintf('cd %s && ln -s b/deep link', Lab::$directory));
copy(Lab::file('a/n.yml'), Lab::file('other.yml'));
lab_tell(fn () => (new OneHop\Redis('alpha', Lab::file('link/../n.yml')))->get('where'));
chdir(Lab::$directory);
lab_tell(fn () => (new OneHop\Redis('alpha', 'other.yml'))->get('where'));
exec("ln -s loop loop; mkfifo fifo");
lab_tell(fn () => new OneHop\Redis('alpha', 'loop'));
lab_tell(fn () => new OneHop\Redis('alpha', 'fifo'));
lab_tell(fn () => new OneHop\Redis('alpha', '/dev/null'));
lab_tell(fn () => new OneHop\Redis('alpha', str_repeat('x', 300)));
lab_tell(fn () => new OneHop\Redis('alpha', str_repeat('x/', 2100)));
?>
--EXPECTF--
6 workers see a
a lone process sees a
6 workers see b
a lone process sees b
6 workers see a
a lone process sees a
6 workers see b
a lone process sees b
the link leads nowhere
6 workers see b
a lone process sees b
OneHop: Configuration DIRECTORY/n.yml: No such file or directory; the configuration read before stays in use
6 workers see a
a lone process sees a
100.0 % of the keys of server pool alpha move (generation 2)
100.0 % of the keys of server pool alpha move (generation 3)
100.0 % of the keys of server pool alpha move (generation 4)
100.0 % of the keys of server pool alpha move (generation 5)
warnings: 1
server pools: 1
a path leads where the kernel finds it
value: "b"
value: "a"
OneHop\ConfigInvalid, node none, may have executed: false
  Configuration DIRECTORY/loop: Too many levels of symbolic links; correct the file, or name another one
OneHop\ConfigInvalid, node none, may have executed: false
  Configuration DIRECTORY/fifo: it is a FIFO, a device or a socket, not a file; correct the file, or name another one
OneHop\ConfigInvalid, node none, may have executed: false
  Configuration /dev/null: it is a FIFO, a device or a socket, not a file; correct the file, or name another one
OneHop\ConfigInvalid, node none, may have executed: false
  Configuration DIRECTORY/x%sx: File name too long; correct the file, or name another one
OneHop\ConfigInvalid, node none, may have executed: false
  Configuration x/x/%s: the path is too long; correct the file, or name another one
