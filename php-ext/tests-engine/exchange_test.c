/*
 * Tests of single exchanges, and of several in one set. Each exchange ends with the right reply, or
 * with a failure that reports correctly what happened.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_tests.h"

#define ECHOES 2000
#define ECHO_BYTES 4000

static const oh_call_terms usual = {.timeout_ms = 5000};

static unsigned executed(const node *one, unsigned number)
{
    return atomic_load(&one->counts->executed[number]);
}

static void configure(const node *one, const char *more)
{
    caller_configure("alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  timeout: 5000\n%s  "
                     "servers:\n   - 127.0.0.1:%u:1 one\n",
        more, (unsigned)one->port);
}

/* ---- One command ---- */

typedef struct ending {
    const char *manner; /* How the node answers; see node.h. */
    bool is_answered;
    oh_error_kind kind;
    oh_outcome outcome;
    const char *what;
} ending;

static const ending endings[] = {
    {"plain", true, 0, 0, ""},
    {"drip", true, 0, 0, ""},
    {"last", true, 0, 0, ""},
    {"half", false, OH_ERROR_NODE_DOWN, OH_OUTCOME_MAYBE_EXECUTED, "Connection closed by the node"},
    {"close", false, OH_ERROR_NODE_DOWN, OH_OUTCOME_MAYBE_EXECUTED,
        "Connection closed by the node"},
    {"mute", false, OH_ERROR_DEADLINE_EXCEEDED, OH_OUTCOME_MAYBE_EXECUTED,
        "No answer within 50 ms"},
    {"noise", false, OH_ERROR_PROTOCOL_VIOLATION, OH_OUTCOME_MAYBE_EXECUTED,
        "a byte that cannot begin a reply"},
    {"surplus", false, OH_ERROR_PROTOCOL_VIOLATION, OH_OUTCOME_MAYBE_EXECUTED,
        "a reply that was not asked for"},
};

static void check_ending(const node *one, oh_snapshot *snapshot, const ending *expected)
{
    oh_call_terms terms = {.timeout_ms = expected->kind == OH_ERROR_DEADLINE_EXCEEDED ? 50 : 5000};
    unsigned number = caller_number();
    char command[64];
    caller it;

    test_begin("a command that the node answers in this manner: %s", expected->manner);
    snprintf(command, sizeof command, "INCR %s:%u", expected->manner, number);
    CHECK(caller_begin(&it, snapshot, 0));
    CHECK(caller_ask(&it, command, &terms) == expected->is_answered);
    CHECK(executed(one, number) == 1);
    if (expected->is_answered) {
        CHECK(strcmp(it.reply, ":1\r\n") == 0);
    } else {
        CHECK(it.failure.kind == expected->kind && it.failure.outcome == expected->outcome);
        CHECK(strstr(it.failure.what, expected->what) != NULL);
    }
    caller_end(&it);
    faults_pass_time(60);
    CHECK(caller_gets(snapshot, 0, "ECHO after", "$5\r\nafter\r\n", &it.failure));
}

static void test_endings(const node *one)
{
    oh_failure failure;

    configure(one, "");
    oh_snapshot *snapshot = caller_open("alpha", &failure);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        check_ending(one, snapshot, &endings[i]);
    }
    oh_snapshot_release(snapshot);
    caller_leave();
}

/* ---- Connections ---- */

static void test_reuse(const node *one)
{
    oh_failure failure;
    oh_snapshot *snapshot = (configure(one, ""), caller_open("alpha", &failure));
    unsigned before = atomic_load(&one->counts->connections);

    test_begin("ten calls share one connection");
    for (int i = 0; i < 10; i++) {
        CHECK(caller_gets(snapshot, 0, "ECHO hello", "$5\r\nhello\r\n", &failure));
    }
    CHECK(atomic_load(&one->counts->connections) == before + 1);

    test_begin(
        "a connection that the node has closed is replaced, whether this is noticed before or "
        "after the next read is sent");
    CHECK(caller_gets(snapshot, 0, "ECHO last", "$4\r\nlast\r\n", &failure));
    CHECK(caller_gets(snapshot, 0, "ECHO hello", "$5\r\nhello\r\n", &failure));
    CHECK(atomic_load(&one->counts->connections) == before + 2);
    oh_snapshot_release(snapshot);
    caller_leave();
}

static void check_sign_in(
    const node *one, const char *directives, const char *what, oh_error_kind kind)
{
    unsigned number = caller_number();
    char command[64];
    oh_failure failure;

    test_begin("a handshake that fails: %s", what);
    configure(one, directives);
    oh_snapshot *snapshot = caller_open("alpha", &failure);
    snprintf(command, sizeof command, "INCR %u", number);
    CHECK(!caller_gets(snapshot, 0, command, "", &failure));
    CHECK(failure.kind == kind && failure.outcome == OH_OUTCOME_NOT_SENT &&
          strstr(failure.what, what));
    CHECK(executed(one, number) == 0);
    oh_snapshot_release(snapshot);
    caller_leave();
}

static void test_refused(void)
{
    oh_failure failure;
    node nobody = {.port = node_free_port()};

    test_begin("if no server listens on the port, the command is not sent and the node rests");
    configure(&nobody, "");
    oh_snapshot *snapshot = caller_open("alpha", &failure);
    CHECK(!caller_gets(snapshot, 0, "ECHO x", "", &failure));
    CHECK(failure.kind == OH_ERROR_NODE_DOWN && failure.outcome == OH_OUTCOME_NOT_SENT);
    CHECK(strcmp(failure.what, "Connection refused while connecting") == 0);
    CHECK(!caller_gets(snapshot, 0, "ECHO x", "", &failure));
    CHECK(strcmp(failure.what,
              "The node is resting after a failure: Connection refused while connecting") == 0);
    oh_snapshot_release(snapshot);
    caller_leave();
}

/* ---- Several commands or nodes ---- */

static void test_pipeline(const node *one)
{
    oh_failure failure;
    oh_snapshot *snapshot = (configure(one, ""), caller_open("alpha", &failure));
    char *request = malloc(ECHOES * (ECHO_BYTES + 64)), *command = malloc(ECHO_BYTES + 64);
    size_t length = 0;
    caller it;

    test_begin("a pipeline larger than all buffers, to a node that answers before it reads on");
    memset(command, 'x', ECHO_BYTES);
    memcpy(command, "ECHO ", 5);
    command[ECHO_BYTES + 5] = '\0';
    memset(command + ECHO_BYTES, 'y', 5);
    for (int i = 0; i < ECHOES; i++) {
        length = caller_write(request, length, command);
    }
    CHECK(caller_begin(&it, snapshot, 0) && caller_send(&it, request, length, &usual));
    CHECK(it.length == ECHOES * (strlen("$4000\r\n") + ECHO_BYTES + 2));
    CHECK(memcmp(it.reply, "$4000\r\nxxx", 10) == 0);
    caller_end(&it);
    free(request);
    free(command);
    oh_snapshot_release(snapshot);
    caller_leave();
}

static void nobody_else(oh_exchange_set *set)
{
    (void)set;
}

static void test_set(const node *one, const node *other)
{
    static const char *const keys[] = {"plain", "mute", "drip"};
    oh_exchange_set set = {.start_others = nobody_else};
    static const oh_call_terms patient = {.timeout_ms = 30000}, hurried = {.timeout_ms = 100};
    char requests[3][256];
    size_t lengths[3];
    oh_failure failure;
    caller them[3];

    test_begin("three nodes in parallel, one of them mute: two answer, one fails");
    caller_configure(
        "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  timeout: 5000\n  servers:\n"
        "   - 127.0.0.1:%u:1 one\n   - 127.0.0.1:%u:1 two\n   - 127.0.0.1:%u:1 three\n",
        (unsigned)one->port, (unsigned)other->port, (unsigned)one->port);
    oh_snapshot *snapshot = caller_open("alpha", &failure);
    for (uint32_t i = 0; i < 3; i++) {
        char command[64];

        snprintf(command, sizeof command, "ECHO %s", keys[i]);
        lengths[i] = caller_write(requests[i], 0, command);
        CHECK(caller_begin(&them[i], snapshot, i));
        oh_exchange_prepare(&them[i].exchange, i == 1 ? &hurried : &patient, &set);
        if (i < 2) {
            oh_exchange_start(&them[i].exchange, requests[i], lengths[i]);
        }
    }
    CHECK(oh_exchange_run(&them[2].exchange, requests[2], lengths[2]));
    for (uint32_t i = 0; i < 3; i++) {
        oh_exchange_await(&them[i].exchange);
        CHECK(oh_exchange_is_complete(&them[i].exchange) == (i != 1));
        CHECK(i == 1 ||
              (caller_read(&them[i], requests[i], lengths[i]) && strstr(them[i].reply, keys[i])));
    }
    CHECK(them[1].failure.kind == OH_ERROR_DEADLINE_EXCEEDED);
    for (uint32_t i = 0; i < 3; i++) {
        caller_end(&them[i]);
    }
    oh_snapshot_release(snapshot);
    caller_leave();
}

/* An interceptor whose end takes time, as a wait for another node does. */
static void return_slowly(oh_interceptor *interceptor, oh_exchange *exchange)
{
    (void)interceptor;
    (void)exchange;
    faults_pass_time(60);
}

static void begin_nothing(oh_interceptor *interceptor, oh_exchange *exchange)
{
    (void)interceptor;
    (void)exchange;
}

static size_t read_all(oh_interceptor *interceptor, oh_exchange *exchange, size_t count)
{
    const oh_replies *replies = &exchange->replies;

    (void)interceptor;
    return oh_wire_read(&exchange->use.connection->wire, replies->bytes + replies->end, count);
}

static size_t all_readable(const oh_interceptor *interceptor, const oh_exchange *exchange)
{
    (void)interceptor;
    return oh_replies_length(&exchange->replies);
}

static void keep(oh_interceptor *interceptor)
{
    (void)interceptor;
}

/* The first exchange waits for another node, which its interceptor asks. */
static void test_wait_of_another(const node *one, const node *other)
{
    oh_interceptor slow = {begin_nothing, read_all, all_readable, return_slowly, keep, NULL, NULL};
    oh_exchange_set set = {.start_others = nobody_else};
    oh_call_terms terms = {.timeout_ms = 5000};
    char requests[2][64];
    oh_failure failure;
    caller them[2];

    test_begin("an exchange that waits for a further node does not use up the time of the others");
    caller_configure("alpha:\n  engine: redis\n  timeout: 5000\n  servers:\n"
                     "   - 127.0.0.1:%u:1 one\n   - 127.0.0.1:%u:1 two\n",
        (unsigned)one->port, (unsigned)other->port);
    oh_snapshot *snapshot = caller_open("alpha", &failure);
    for (uint32_t i = 0; i < 2; i++) {
        size_t length = caller_write(requests[i], 0, i == 0 ? "ECHO plain" : "ECHO mute");

        CHECK(caller_begin(&them[i], snapshot, i));
        oh_exchange_prepare(&them[i].exchange, &terms, &set);
        oh_exchange_start(&them[i].exchange, requests[i], length);
    }
    uint64_t deadline_ns = them[1].exchange.times.deadline_ns;
    oh_exchange_intercept(&them[0].exchange, &slow);
    CHECK(oh_exchange_conclude(&them[0].exchange));
    CHECK(!oh_exchange_conclude(&them[1].exchange));
    CHECK(them[1].failure.kind == OH_ERROR_DEADLINE_EXCEEDED);
    CHECK(them[1].exchange.times.deadline_ns - deadline_ns < UINT64_C(30000000000));
    for (uint32_t i = 0; i < 2; i++) {
        caller_end(&them[i]);
    }
    oh_snapshot_release(snapshot);
    caller_leave();
}

/* ---- Held connections ---- */

static void test_held(const node *one)
{
    oh_failure failure;
    oh_snapshot *snapshot = (configure(one, ""), caller_open("alpha", &failure));
    oh_call_terms exec = {.timeout_ms = 5000, .is_exec = true, .exec_count = 1};
    caller it;

    test_begin(
        "a kept connection carries several calls in turn, and the replies of EXEC are counted");
    CHECK(caller_begin(&it, snapshot, 0));
    oh_exchange_keep(&it.exchange);
    CHECK(caller_ask(&it, "WATCH k", &usual) && it.exchange.use.held);
    CHECK(caller_ask(&it, "EXEC", &exec) && strcmp(it.reply, "*1\r\n+OK\r\n") == 0);
    exec.exec_count = 2;
    CHECK(!caller_ask(&it, "EXEC", &exec) && it.failure.kind == OH_ERROR_PROTOCOL_VIOLATION);

    test_begin("a kept connection that is lost is not replaced");
    oh_exchange_give_back(&it.exchange, true);
    oh_exchange_keep(&it.exchange);
    faults_pass_time(60);
    CHECK(caller_ask(&it, "WATCH k", &usual));
    CHECK(!caller_ask(&it, "ECHO half", &usual));
    CHECK(!caller_ask(&it, "ECHO x", &usual) &&
          strcmp(it.failure.what, "The connection was lost") == 0);
    CHECK(it.failure.outcome == OH_OUTCOME_NOT_SENT);
    caller_end(&it);
    oh_snapshot_release(snapshot);
    caller_leave();
}

/* ---- SSDB ---- */

static void test_ssdb_node(const node *one)
{
    oh_failure failure;
    oh_snapshot *snapshot = (configure(one, "  engine: ssdb\n"), caller_open("alpha", &failure));

    test_begin("an SSDB node: one command becomes four, and their four replies become one");
    CHECK(caller_gets(snapshot, 0, "EXISTS k", ":1\r\n", &failure));
    test_begin("a command that SSDB would misunderstand is not sent");
    CHECK(!caller_gets(snapshot, 0, "SET k v EX 5 NX", "", &failure));
    CHECK(failure.kind == OH_ERROR_UNSUPPORTED && failure.outcome == OH_OUTCOME_NOT_SENT);
    oh_snapshot_release(snapshot);
    caller_leave();
}

/* A busy machine may need more tries: late answers count only if the process was running. */
static void test_mute_ssdb_node(const node *one)
{
    oh_failure failure;
    bool rests = false;

    test_begin("an SSDB node that does not answer rests");
    caller_configure("alpha:\n  engine: ssdb\n  timeout: 100\n  servers:\n   - 127.0.0.1:%u one\n",
        (unsigned)one->port);
    oh_snapshot *snapshot = caller_open("alpha", &failure);
    CHECK(snapshot != NULL);
    for (int i = 0; i < 100 && !rests; i++) {
        CHECK(!caller_gets(snapshot, 0, "GET mute", "", &failure));
        rests = strstr(failure.what, "is resting") != NULL;
    }
    CHECK(rests);
    oh_snapshot_release(snapshot);
    caller_leave();
    faults_pass_time(60);
}

void test_exchange(const node *one, const node *other)
{
    test_endings(one);
    test_reuse(one);
    check_sign_in(one, "  redis_auth: wrong\n", "The node refused the user name or password",
        OH_ERROR_CONFIG_INVALID);
    check_sign_in(one, "  redis_auth: half\n", "Connection closed by the node during the handshake",
        OH_ERROR_NODE_DOWN);
    check_sign_in(one, "  redis_auth: noise\n", "Unexpected answer to the handshake",
        OH_ERROR_PROTOCOL_VIOLATION);
    test_refused();
    test_pipeline(one);
    test_set(one, other);
    test_wait_of_another(one, other);
    test_held(one);
    test_ssdb_node(one);
    test_mute_ssdb_node(one);
}
