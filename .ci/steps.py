"""The steps that .ci/test.py runs, by part: test, prove, check, lint and trixie.

Within a part the longest step of PHP and the longest of Java begin at once. The others follow, the
cheapest first, so that simple mistakes show early.
"""

import glob
import os
import re
from typing import NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PYTHON = "/usr/bin/python3"


class Step(NamedTuple):
    """A command. Steps with the same place run one at a time.

    Such steps write to the same files, or each of them keeps a processor busy with a whole suite.
    """

    title: str
    command: list
    place: str = None


def each(*commands):
    return ["sh", "-c", " && ".join(commands)]


def python(*programs):
    return each(*(f"{PYTHON} {program}" for program in programs))


def checks(*names):
    return python(*(f"conformance/checks/{name}" for name in names))


def faults(names):
    return python(f"conformance/faults {names} --short")


FORMATS = (
    Step("formats of C, Java and Python", [".ci/lint", "formats"]),
    Step("Python: ruff", [".ci/lint", "python"]),
    Step("subjects of commits", [".ci/lint", "subjects"]),
    Step("one version of PHP and Java", [".ci/version"]),
)
STRICT = Step("the extension: more warnings, as errors", [".ci/lint", "strict"])
TIDY = Step("the extension: clang-tidy", [".ci/lint", "tidy"])


def quick(step):
    return step._replace(command=[*step.command, "quick"])


# The specification, the rooms and the documents, as far as they can be checked without a server.
SPECIFICATION = (
    Step("the specification: schemas, vectors, generated files", python("spec/check.py")),
    Step(
        "the command table: fresh, and its vectors hold",
        python(
            "spec/tools/generate/build_cluster.py --check",
            "spec/tools/generate/build.py --check",
            "spec/tools/prove/check_vectors.py",
            "spec/tools/prove/check_ssdb.py",
            "spec/tools/generate/ssdb_page.py --check",
        ),
    ),
    Step(
        "docs/commands.md: fresh, and true of Jedis",
        python(
            "spec/tools/capture/capture_jedis.py --check",
            "spec/tools/generate/commands_page.py --check",
        ),
    ),
    Step("which room imports which; no circles", checks("imports.py", "circles.py")),
    Step("spec/terms.md: every room and type", checks("terms.py --self", "terms.py")),
    Step("docs: rooms and quotations", checks("architecture.py", "quotations.py")),
    Step("docs/performance.md: the figures of the results", python("bench/report.py --check")),
    Step("budgets of sizes; at most 100 columns", checks("sizes.py", "width.py")),
    Step("messages: from one page, all in use", checks("messages.py --self", "messages.py")),
    Step("PHP's signatures: the header belongs to the stub", checks("arginfo.py")),
    Step("the method table: the loaded phpredis", ["php", "spec/tools/prove/methods_check.php"]),
)
CORE = Step("C core under sanitizers", ["make", "-s", "-j2", "-C", "php-ext/tests-core"])
ENGINE = ["make", "-s", "-j2", "-C", "php-ext/tests-engine"]
FUZZ = ["make", "-s", "-j2", "-C", "php-ext/fuzz", "run"]
JAVA = ["mvn", "-B", "-ntp", "-f", "java/pom.xml", "test"]
# The tests of the core and of the client's internal packages, without the one that needs servers.
UNITS = "-Dtest=io/onehop/core/**,io/onehop/jedis/internal/**,!SentinelNewsTest"

CHECK = (
    *FORMATS,
    quick(STRICT),
    quick(TIDY),
    *SPECIFICATION,
    CORE,
    Step("C core and engine against random bytes", [*FUZZ, "COUNT=20000"]),
    Step("C engine by itself, with every allocation failing in turn", [*ENGINE, "alone"]),
    Step("Java's units", [*JAVA, "-pl", "core,jedis", UNITS]),
)

PHPT = sorted(glob.glob("php-ext/tests/*/*.phpt", root_dir=ROOT))
TEST = (
    Step("Java", JAVA, "java"),
    Step("PHP extension", [".ci/phpt", *PHPT], "php"),
    *SPECIFICATION,
    quick(STRICT),
    Step(
        "the command table: a live server",
        python("spec/tools/prove/check_getkeys.py --start redis-server"),
    ),
    Step(
        "docs/commands.md: a live nutcracker",
        python("spec/tools/capture/capture_nutcracker.py --check"),
    ),
    Step(
        "splits and merges: four nodes answer as one",
        python("spec/tools/prove/check_fleet.py --start redis-server"),
    ),
    Step("the method table: phpredis on a live server", ["php", "spec/tools/prove/probe.php"]),
    Step("the lab itself", python("conformance/lab/selftest.py")),
    Step(
        "PHP: what the documentation shows, run",
        each(
            f"php -d extension={ROOT}/php-ext/modules/onehop.so /usr/bin/phpunit"
            " -c php-ext/tests-docs"
        ),
    ),
    Step(
        "PHP: servers for tests of programs, and such tests",
        each(
            f"php -d extension={ROOT}/php-ext/modules/onehop.so /usr/bin/phpunit"
            " -c php-ext/tests-testing"
        ),
    ),
    Step("alert rules and dashboard, with a real Prometheus", python("monitoring/tests/check.py")),
    CORE,
    Step("C engine, with every allocation and system call failing in turn", ENGINE),
    Step("conformance: C, Java, reference and a live nutcracker", python("conformance/run.py")),
    Step("nodes are replaced under load, as docs/replacing-a-node.md has it", faults("replace")),
    Step("masters that Sentinels replace under load", faults("sentinel")),
    Step(
        "a Redis Cluster with moving slots and dying masters, under load", faults("move failover")
    ),
    Step(
        "many workers: killed, reloaded, without a node, with constant changes of configuration,"
        " with surplus replies, with three databases, with swapped links, over a long life, with"
        " slow DNS",
        faults("kills outage reload changes surplus databases links lifetime names rotations"),
    ),
)

# With valgrind everything is thirty times slower. So tests that move millions of bytes or only wait
# are left out, and tests whose point valgrind does not see. Such a test gives the reason in its
# --DESCRIPTION--. Servers run without valgrind, and PCRE without its JIT, which confuses valgrind.
NOT_BENEATH_VALGRIND = re.compile("^Not beneath valgrind: ", re.MULTILINE)
UNWATCHED = ("setpriv", "redis-server", "nutcracker", "openssl", "php-fpm*", "cgi-fcgi")
ENVIRONMENT = {
    "VALGRIND_OPTS": f"--trace-children-skip={','.join(f'*/{name}' for name in UNWATCHED)}"
}


def is_beneath_valgrind(path):
    with open(os.path.join(ROOT, path)) as test:
        return not NOT_BENEATH_VALGRIND.search(test.read())


def jobs(contestants, only):
    """Runs the benchmark only to check its values: it ends at the first wrong one."""
    options = f"--short --contestants {contestants} --output /dev/null --only {only}"
    return f"{PYTHON} bench/jobs.py {options}"


JMH = (
    "java -cp 'bench/java/target/classes:bench/java/target/jars/*' io.onehop.bench.JobBenchmark"
    " -p contestant=java.onehop,java.redisson -p job=hget,del -p keys=10"
    " -f 1 -wi 1 -w 10ms -i 1 -r 50ms"
)
PROVE = (
    Step("coverage of Java by its tests", [".ci/coverage", "java"], "java"),
    Step(
        "PHP extension under valgrind",
        [".ci/phpt", "-m", "-d", "pcre.jit=0", *filter(is_beneath_valgrind, PHPT)],
        "php",
    ),
    *FORMATS,
    STRICT,
    Step("coverage of the C core and engine by their own tests", [".ci/coverage", "c"]),
    Step("the documentation as a site: no link leads nowhere", [".ci/site"], "java"),
    Step(
        "every command of redis 7.0 and 8.0, valkey 9.1 and redis-stack 7.4, by PHP and Java",
        each(
            f'{PYTHON} spec/tools/prove/check_getkeys.py --start "$(.ci/redis-stack)"',
            f'{PYTHON} spec/tools/prove/check_fleet.py --start "$(.ci/sid valkey-server)"',
            f"{PYTHON} conformance/servers redis-7.0 redis-8.0 valkey-9.1 redis-stack-7.4",
        ),
    ),
    Step("the status page in a browser", python("php-ext/tests-page/check.py")),
    Step(
        "random calls of phpredis and of OneHop look the same",
        python("php-ext/fuzz/lane/fuzz.py --seconds 12"),
    ),
    Step("what a command costs: instructions, bytes, system calls", python("bench/guard")),
    Step(
        "every contestant of PHP in the benchmark of all jobs: every value right",
        ["sh", "-c", jobs("php", "pipeline,mget,mset,del,values,cold,dead")],
    ),
    Step(
        "every contestant of Java, two jobs in JMH, load at a fixed rate: every value right",
        each(
            "mvn -q -B -ntp -f bench/java/pom.xml package",
            jobs("java", "pipeline,mset,del,cold,threads"),
            JMH,
            f"{PYTHON} bench/open_loop.py --short",
        ),
    ),
    Step("what stalls, silent connections and outages cost", faults("stalls")),
    Step("calls wait while masters of a Redis Cluster are replaced", faults("heirs")),
    Step(
        "a ring grows and shrinks under load, and no key is lost",
        each(
            "mvn -q -B -ntp -f java/pom.xml package -DskipTests -pl cli -am",
            f"{PYTHON} conformance/faults growing --short",
        ),
        "java",
    ),
    Step(
        "fleets of hosts, simulated and small real ones; what a host pays for its nodes",
        python("bench/fleet simulate compare --short", "bench/fleet pool host --short"),
    ),
    Step("C core and engine against random bytes, under sanitizers", FUZZ),
    TIDY,
    Step("what would go to Maven Central, built twice", [".ci/check-release"]),
    Step("the Debian package, in bare roots of bookworm and trixie", [".ci/test-deb"]),
)

PARTS = {
    "test": TEST,
    "prove": PROVE,
    "check": CHECK,
    "lint": (*FORMATS, STRICT, TIDY),
    "trixie": (
        Step("Java on JDK 25", [".ci/test-jdk25"], "java"),
        Step("PHP extension on PHP 8.4 and phpredis 6.2", [".ci/test-trixie"], "php"),
    ),
}
