/*
 * Reads the vectors and cases of spec/, and makes server pools and topologies for the tests.
 *
 * A file that cannot be read ends the run: a test without vectors must not pass.
 */
#ifndef OH_TESTS_VECTORS_H
#define OH_TESTS_VECTORS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "core/config/config.h"
#include "core/topology/topology.h"

/* Loads a page of spec/, such as "hash/vectors/hashes.json". json_decref frees it. */
json_t *vectors_load(const char *path);

/* Begins a test: the kind of the vector, its number and its comment are the name. */
void vectors_begin(const char *kind, const json_t *test);

/* Begins and runs each test of a page whose group has this type. There must be one. */
void vectors_run(const char *path, const char *type, void (*run)(const json_t *test));
bool vectors_is(const json_t *group, const char *type);

const char *vectors_string(const json_t *object, const char *field);
uint32_t vectors_number(const json_t *object, const char *field);

/*
 * Bytes in memory of exactly their size, so a sanitizer detects each read beyond them. The caller
 * frees the memory.
 */
typedef struct bytes {
    uint8_t *bytes;
    size_t length;
} bytes;
bytes bytes_of_hex(const char *hex);
bytes bytes_of_field(const json_t *object, const char *field);
bytes bytes_of_text(const char *text, size_t length);

/*
 * The JSON text has one character for each byte. The memory has exactly the size of the bytes.
 */
bytes bytes_of_latin(const json_t *text);

/* The parts in their order, each repeated: [[hex, times], ...]. */
bytes bytes_of_hex_parts(const json_t *parts);

/*
 * The cases of a file such as "config/cases/good.txt", which describes its own format: an object
 * that has the head of each case under its name. json_decref frees it.
 */
json_t *vectors_cases(const char *path);

/* The text of a case. The memory has exactly the size of the bytes. The caller frees it. */
bytes bytes_of_case(const json_t *it);

bool bytes_equal(bytes a, const void *b, size_t length);

/* A configuration that must be valid. */
oh_config *config_of(const char *text);

/* A topology in memory of exactly its size. The caller frees it. */
oh_topology *topology_of(const oh_server_pool *pool, const bool *ejected);

/* A ketama pool of `count` servers "n<i>" of weight 1. pool_free frees it. */
oh_server_pool pool_of(size_t count);
void pool_free(oh_server_pool *pool);

/* A small random generator. It returns the same numbers in every run. */
uint32_t random_next(uint32_t *state);

#define EACH_GROUP(page, group)                                                                    \
    for (size_t group##_place = 0;                                                                 \
        (group = json_array_get(json_object_get(page, "testGroups"), group##_place)) != NULL;      \
        group##_place++)
#define EACH_TEST(group, test)                                                                     \
    for (size_t test##_place = 0;                                                                  \
        (test = json_array_get(json_object_get(group, "tests"), test##_place)) != NULL;            \
        test##_place++)

#endif
