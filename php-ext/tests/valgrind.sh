#!/bin/sh
# Runs tests under valgrind: php-ext/tests/valgrind.sh [TEST.phpt ...], after make. Without arguments: those that
# exercise memory most and need no timing. A leak or a wrong access fails the test.
#
# PHP's own allocator and the code its regular expressions compile at run time hide errors or look like some, so both
# are off. Servers and nodes started by a test are not traced.
set -eu

cd "$(dirname "$0")/.."
[ -f modules/onehop.so ] || { echo "modules/onehop.so is missing: phpize && ./configure && make" >&2; exit 2; }

if [ $# -eq 0 ]; then
    for number in 001 003 013 016 017 023 024 030 031 032 033 034 035 044 045 046 047; do
        set -- "$@" tests/"$number"_*.phpt
    done
fi

php=${PHP:-php}
directory=$("$php" -n -r 'echo PHP_EXTENSION_DIR;')
extensions=
for name in igbinary msgpack posix sockets redis; do
    if [ -f "$directory/$name.so" ]; then
        extensions="$extensions -d extension=$directory/$name.so"
    fi
done

export USE_ZEND_ALLOC=0 ZEND_DONT_UNLOAD_MODULES=1 NO_INTERACTION=1 REPORT_EXIT_STATUS=1
export VALGRIND_OPTS="--trace-children-skip=* --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite"
export TEST_PHP_EXECUTABLE="$(command -v "$php")"
# shellcheck disable=SC2086
exec "$php" -n run-tests.php -n -q -m --show-mem --set-timeout 600 -d pcre.jit=0 $extensions -d extension="$PWD/modules/onehop.so" "$@"
