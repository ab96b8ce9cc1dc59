/*
 * Runs all tests of the engine: `tests DIRECTORY [PORT OF A REDIS, PORT OF A NODE OF A REDIS
 * CLUSTER]`.
 */
#include <stdio.h>
#include <stdlib.h>

#include "engine/shared/resolver.h"

#include "engine_tests.h"

int main(int count, char **words)
{
    node one = node_start(), other = node_start(), encrypted;

    setvbuf(stdout, NULL, _IOLBF, 0); /* A failure must be printed even if the next test crashes. */
    if (count < 2 || !oh_pool_startup() || !oh_resolver_startup()) {
        return 2;
    }
    encrypted = node_start_encrypted(words[1]);
    caller_live_in(words[1]);
    test_exchange(&one, &other);
    test_moving();
    test_source(&one, &other);
    test_tls(&encrypted, words[1]);
    test_sweep(&one, &other);
    test_sweep_encrypted(&encrypted, words[1]);
    if (count > 3) {
        test_subscription((unsigned)atoi(words[2]));
        test_sweep_cluster((unsigned)atoi(words[3]));
    }
    oh_resolver_shutdown();
    node_stop(&one);
    node_stop(&other);
    node_stop(&encrypted);
    return tests_end();
}
