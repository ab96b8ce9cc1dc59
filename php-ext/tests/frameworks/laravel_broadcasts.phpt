--TEST--
Laravel's broadcasts reach the subscribers of their channels on every node
--FILE--
<?php
require __DIR__ . '/laravel.inc';

$ports = [lab_redis(), lab_redis()];
$config = lab_config($ports);
// The names of channels as Laravel sends them, one on each node.
$channels = array_values(array_map(
    fn ($key) => substr($key, strlen('laravel_database_')),
    lab_key_of_each($config, 'laravel_database_news-'),
));
$subscribers = array_map(function (int $port) {
    $socket = stream_socket_client("tcp://127.0.0.1:$port", timeout: 30);
    stream_set_timeout($socket, 30);
    fwrite($socket, "PSUBSCRIBE *\r\n");
    for ($line = ''; !str_starts_with($line, ':1');) {
        $line = fgets($socket);
    }
    return $socket;
}, $ports);
$app = laravel_app(laravel_onehop($config));
$app[Illuminate\Contracts\Broadcasting\Factory::class]->connection()
    ->broadcast($channels, 'Published', ['id' => 7, 'socket' => 'me']);
$heard = array_map(function ($socket) {
    for ($line = ''; !str_starts_with($line, '{');) {
        $line = fgets($socket);
    }
    return trim($line);
}, $subscribers);
lab_show('both heard the same', $heard[0] === $heard[1]);
$message = json_decode($heard[0], true);
lab_show('event', $message['event']);
lab_show('data', $message['data']);
lab_show('socket', $message['socket']);
?>
--EXPECT--
both heard the same: true
event: "Published"
data: {"id":7,"socket":"me"}
socket: "me"
