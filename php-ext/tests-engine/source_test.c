/*
 * Tests of what outlives a call: a configuration whose file changes, and a subscription.
 */
#include <string.h>

#include "engine/listener/listener.h"

#include "engine_tests.h"

#define POOL                                                                                       \
    "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  timeout: 5000\n  servers:\n   - "             \
    "127.0.0.1:%u:1 one\n"

static uint32_t nodes_of_newest(void)
{
    oh_failure failure;
    oh_snapshot *snapshot = caller_open("alpha", &failure);
    uint32_t count = snapshot ? snapshot->nodes_count : 0;

    if (snapshot) {
        oh_snapshot_release(snapshot);
    }
    return count;
}

void test_source(const node *one, const node *other)
{
    oh_failure failure;

    test_begin(
        "an open server pool stays the same when the file changes, and later callers get the "
        "new version");
    caller_configure(POOL, (unsigned)one->port);
    oh_snapshot *before = caller_open("alpha", &failure);
    caller_configure(POOL "   - 127.0.0.1:%u:1 two\n", (unsigned)one->port, (unsigned)other->port);
    faults_pass_time(2);
    CHECK(nodes_of_newest() == 2 && before->nodes_count == 1);
    CHECK(caller_gets(before, 0, "ECHO x", "$1\r\nx\r\n", &failure));
    oh_snapshot_release(before);

    test_begin("an invalid file changes nothing and causes one warning");
    caller_warnings();
    caller_configure("alpha: nonsense\n");
    for (int i = 0; i < 3; i++) {
        faults_pass_time(2);
        CHECK(nodes_of_newest() == 2);
    }
    CHECK(caller_warnings() == 1);
    caller_leave();

    test_begin("a file that is invalid from the start is a failure that names the line");
    CHECK(!caller_open("alpha", &failure) && failure.kind == OH_ERROR_CONFIG_INVALID);
    CHECK(strstr(failure.what, "line 1") != NULL);
    caller_leave();
}

static bool hears(oh_listener *listener, const char *expected)
{
    char heard[256] = "";
    size_t length = 0, count = 1;

    while (count > 0 && length < strlen(expected)) {
        count = oh_listener_receive(listener, heard + length, strlen(expected) - length);
        length += count;
    }
    return strcmp(heard, expected) == 0;
}

void test_subscription(unsigned port)
{
    char request[64];
    oh_failure failure;

    test_begin("a subscription on a real server receives what is published, until UNSUBSCRIBE");
    caller_configure(POOL, port);
    oh_snapshot *snapshot = caller_open("alpha", &failure);
    oh_listener *listener = oh_listener_open(snapshot, snapshot->topology, 5000, 5000, &failure);
    oh_listener_send(listener, request, caller_write(request, 0, "SUBSCRIBE news"));
    CHECK(hears(listener, "*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n"));
    CHECK(caller_gets(snapshot, 0, "PUBLISH news hello", ":1\r\n", &failure));
    CHECK(hears(listener, "*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$5\r\nhello\r\n"));
    oh_listener_send(listener, request, caller_write(request, 0, "UNSUBSCRIBE news"));
    CHECK(hears(listener, "*3\r\n$11\r\nunsubscribe\r\n$4\r\nnews\r\n:0\r\n") &&
          oh_listener_is_idle(listener));
    CHECK(caller_gets(snapshot, 0, "PUBLISH news hello", ":0\r\n", &failure));
    oh_listener_close(listener);
    oh_snapshot_release(snapshot);
    caller_leave();
}
