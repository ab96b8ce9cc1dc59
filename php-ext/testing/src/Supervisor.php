<?php

namespace OneHop\Testing;

/**
 * The parent of all servers of a test: a shell that reads its commands from a pipe. When the pipe
 * is closed, it kills the servers and removes their files. So nothing is left running, even if the
 * process of the tests is killed.
 *
 * @internal
 */
final class Supervisor
{
    /* Ctrl-C goes to the shell, too, and must not end it before its servers. */
    private const BEGIN = <<<'SH'
        home=$1; cd "$home" || exit 1
        trap '' HUP INT TERM
        trap 'jobs -p >"$home/pids"; kill -KILL $(cat "$home/pids"); wait; rm -r "$home"' EXIT
        command -v redis-server || echo
        SH;

    public readonly string $directory;
    /** @var resource */
    private mixed $shell;
    /** @var array<int, resource> */
    private array $pipes = [];

    public function __construct()
    {
        $this->directory = sys_get_temp_dir() . '/onehop-test' . bin2hex(random_bytes(8));
        mkdir($this->directory, 0700);
        $this->shell = proc_open(
            ['sh', '-s', $this->directory],
            [['pipe', 'r'], ['pipe', 'w'], ['file', '/dev/null', 'w']],
            $this->pipes,
            $this->directory,
        );
        if ($this->ask(self::BEGIN) === '') {
            $this->close();
            throw new \RuntimeException('no redis-server is on the PATH: install it');
        }
    }

    /** Starts a program in a directory, its output in the file `log`. Returns its process id. */
    public function start(string $where, string $words): int
    {
        /* Only the program changes to that directory. */
        $there = "'" . str_replace("'", "'\\''", $where) . "'";
        $run = "{ cd $there && exec $words >log 2>&1 </dev/null; } &";
        return (int) $this->ask("$run echo $!");
    }

    public function kill(int $pid): void
    {
        /* After `jobs` has listed an ended process, the shell forgets it. */
        $this->ask("kill -KILL $pid; wait $pid; jobs >ended; echo");
    }

    public function signal(int $pid, string $name): void
    {
        $this->ask("kill -$name $pid; echo");
    }

    private function ask(string $command): string
    {
        $answer = $this->pipes && fwrite($this->pipes[0], "$command\n")
            ? fgets($this->pipes[1])
            : false;
        return $answer === false
            ? throw new \RuntimeException('the servers of this test are stopped')
            : trim($answer);
    }

    public function close(): void
    {
        if ($this->pipes) {
            array_map(fclose(...), $this->pipes);
            $this->pipes = [];
            proc_close($this->shell);
        }
    }
}
