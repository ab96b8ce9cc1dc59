/*
 * The tests of the engine. Some need scripted nodes, the others need real servers.
 */
#ifndef OH_TESTS_ENGINE_H
#define OH_TESTS_ENGINE_H

#include "tests-core/check.h"

#include "caller.h"
#include "faults.h"
#include "node.h"

void test_exchange(const node *one, const node *other);
void test_moving(void);
void test_source(const node *one, const node *other);
void test_sweep(const node *one, const node *other);
/* The node speaks TLS with the certificate in the directory. */
void test_tls(const node *encrypted, const char *directory);
void test_sweep_encrypted(const node *encrypted, const char *directory);

/* These take the port of a redis-server, and of a node of a Redis Cluster. */
void test_subscription(unsigned port);
void test_sweep_cluster(unsigned port);

#endif
