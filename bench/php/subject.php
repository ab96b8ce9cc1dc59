<?php
/*
 * One subject of JobsBench and its attributes, read as PHPBench reads them. PHPBench itself need
 * not be installed.
 */
declare(strict_types=1);

require_once __DIR__ . '/JobsBench.php';

final class Subject
{
    private object $bench;

    public function __construct(private string $method)
    {
        $this->bench = new JobsBench();
    }

    /** @return iterable<string, self> The subjects that PHPBench would run. */
    public static function all(): iterable
    {
        foreach ((new ReflectionClass(JobsBench::class))->getMethods() as $method) {
            if (str_starts_with($method->name, 'bench')) {
                yield $method->name => new self($method->name);
            }
        }
    }

    /** The argument of an attribute, as an array. */
    public function attribute(string $name): array
    {
        foreach ((new ReflectionMethod($this->bench, $this->method))->getAttributes() as $found) {
            if ($found->getName() === "PhpBench\\Attributes\\$name") {
                return (array) $found->getArguments()[0];
            }
        }
        return [];
    }

    /** @return iterable<string, array> All combinations of what the ParamProviders yield. */
    public function params(): iterable
    {
        $all = ['' => []];
        foreach ($this->attribute('ParamProviders') as $provider) {
            $next = [];
            foreach ($all as $name => $params) {
                foreach ($this->bench->$provider() as $word => $more) {
                    $next[trim("$name, $word", ', ')] = $params + $more;
                }
            }
            $all = $next;
        }
        return $all;
    }

    /** Runs it once: before, subject, after. Returns its nanoseconds, and what `after` returned. */
    public function run(array $params): array
    {
        foreach ($this->attribute('BeforeMethods') as $before) {
            $this->bench->$before($params);
        }
        $start = hrtime(true);
        $this->bench->{$this->method}($params);
        $taken = hrtime(true) - $start;
        foreach ($this->attribute('AfterMethods') as $after) {
            $answer = $this->bench->$after($params);
        }
        return [$taken, $answer ?? null];
    }
}
