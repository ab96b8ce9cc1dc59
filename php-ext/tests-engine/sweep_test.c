/*
 * The scenarios of the sweep. Each goes from the configuration file to the reply of a node.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/nodes/nodes.h"
#include "engine/listener/listener.h"
#include "engine/pool/pool_entry.h"
#include "engine/shared/segment.h"

#include "sweep.h"

static const node *first, *second;

static unsigned executed_by_nodes(unsigned number)
{
    return atomic_load(&first->counts->executed[number]) +
           atomic_load(&second->counts->executed[number]);
}

static bool increment(const char *pool, const char *manner, unsigned number, oh_failure *failure)
{
    oh_snapshot *snapshot = caller_open(pool, failure);
    char command[64];

    if (!snapshot) {
        return false;
    }
    snprintf(command, sizeof command, "INCR %s%u", manner, number);
    bool is_answered = caller_gets(snapshot, 0, command, ":1\r\n", failure);
    oh_snapshot_release(snapshot);
    return is_answered;
}

static void configure_plain(void)
{
    caller_configure("alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  timeout: 5000\n  redis_auth: "
                     "secret\n  database: 2\n"
                     "  servers:\n   - 127.0.0.1:%u:1 one\n   - 127.0.0.1:%u:1 two\n",
        (unsigned)first->port, (unsigned)second->port);
}

static bool run_plain(unsigned number, oh_failure *failure)
{
    return increment("alpha", "", number, failure);
}

static bool run_dripping(unsigned number, oh_failure *failure)
{
    return increment("alpha", "drip", number, failure);
}

static void configure_named(void)
{
    caller_configure("alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  timeout: 5000\n  servers:\n  "
                     " - localhost:%u:1 one\n",
        (unsigned)first->port);
}

static void configure_ssdb(void)
{
    caller_configure(
        "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  timeout: 5000\n  engine: ssdb\n"
        "  servers:\n   - 127.0.0.1:%u:1 one\n",
        (unsigned)first->port);
}

static bool run_ssdb(unsigned number, oh_failure *failure)
{
    oh_snapshot *snapshot = caller_open("alpha", failure);
    char command[64];

    if (!snapshot) {
        return false;
    }
    snprintf(command, sizeof command, "INCR %u", number);
    bool is_answered = caller_gets(snapshot, 0, "EXISTS k", ":1\r\n", failure) &&
                       caller_gets(snapshot, 0, command, ":1\r\n", failure);
    oh_snapshot_release(snapshot);
    return is_answered;
}

/* The second call finds the connection closed, before or after its command is sent. */
static bool run_again(unsigned number, oh_failure *failure)
{
    oh_snapshot *snapshot = caller_open("alpha", failure);
    char command[64];

    if (!snapshot) {
        return false;
    }
    snprintf(command, sizeof command, "INCR last%u", number);
    bool is_answered = caller_gets(snapshot, 0, command, ":1\r\n", failure);
    if (is_answered && !caller_gets(snapshot, 0, "ECHO x", "$1\r\nx\r\n", failure)) {
        failure->outcome = OH_OUTCOME_ANSWERED; /* INCR was answered. */
        is_answered = false;
    }
    oh_snapshot_release(snapshot);
    return is_answered;
}

/*
 * The second call needs another database than the connection has, and the third call needs the
 * first database again.
 */
static bool run_elsewhere(unsigned number, oh_failure *failure)
{
    oh_snapshot *snapshot = caller_open("alpha", failure);
    oh_call_terms terms = {.timeout_ms = 5000};
    char command[64];
    caller it;

    if (!snapshot) {
        return false;
    }
    snprintf(command, sizeof command, "INCR last%u", number);
    bool is_answered = caller_gets(snapshot, 0, "ECHO x", "$1\r\nx\r\n", failure) &&
                       CHECK(caller_begin(&it, snapshot, 0));
    if (is_answered) {
        it.exchange.peer.database = oh_database_of(3);
        is_answered = caller_ask(&it, command, &terms);
        *failure = it.failure;
        caller_end(&it);
    }
    if (is_answered && !caller_gets(snapshot, 0, "ECHO x", "$1\r\nx\r\n", failure)) {
        failure->outcome = OH_OUTCOME_ANSWERED; /* INCR was answered. */
        is_answered = false;
    }
    oh_snapshot_release(snapshot);
    return is_answered;
}

/* Workers of a host share all this: the segment, a place in it, and the queue. */
static bool run_shared(unsigned number, oh_failure *failure)
{
    if (!oh_segment_store()) {
        oh_segment_startup(1 << 20, 4);
        oh_host_startup(true);
    }
    bool is_answered = increment("alpha", "", number, failure);
    oh_pool_sweep();
    return is_answered;
}

static void nobody_else(oh_exchange_set *set)
{
    (void)set;
}

/* One exchange with each of two nodes. The reply of the second one comes in parts. */
static bool run_set(unsigned number, oh_failure *failure)
{
    oh_snapshot *snapshot = caller_open("alpha", failure);
    oh_exchange_set set = {.start_others = nobody_else};
    oh_call_terms terms = {.timeout_ms = 5000};
    char requests[2][64];
    size_t lengths[2];
    caller them[2];
    bool are_begun;

    if (!snapshot) {
        return false;
    }
    are_begun = caller_begin(&them[0], snapshot, 0) & caller_begin(&them[1], snapshot, 1);
    for (uint32_t i = 0; i < 2; i++) {
        char command[64];

        snprintf(command, sizeof command, i ? "ECHO drip" : "INCR %u", number);
        lengths[i] = caller_write(requests[i], 0, command);
        oh_exchange_prepare(&them[i].exchange, &terms, &set);
    }
    if (are_begun) {
        oh_exchange_start(&them[0].exchange, requests[0], lengths[0]);
        oh_exchange_run(&them[1].exchange, requests[1], lengths[1]);
        oh_exchange_await(&them[0].exchange);
    }
    bool is_answered = are_begun;
    for (uint32_t i = 0; i < 2; i++) {
        bool has_come = are_begun && oh_exchange_is_complete(&them[i].exchange) &&
                        caller_read(&them[i], requests[i], lengths[i]);

        CHECK(!has_come || strcmp(them[i].reply, i ? "$4\r\ndrip\r\n" : ":1\r\n") == 0);
        if (!has_come && (is_answered || i == 0)) {
            *failure = them[i].failure.kind || them[i].failure.what[0] ? them[i].failure
                                                                       : them[!i].failure;
        }
        is_answered &= has_come;
        if (i && !is_answered && oh_exchange_is_complete(&them[0].exchange)) {
            failure->outcome = OH_OUTCOME_ANSWERED; /* INCR was answered. */
        }
    }
    caller_end(&them[0]);
    caller_end(&them[1]);
    oh_snapshot_release(snapshot);
    return is_answered;
}

/* A kept connection with a preface, and a MULTI that ends with DISCARD instead of EXEC. */
static bool run_held(unsigned number, oh_failure *failure)
{
    oh_snapshot *snapshot = caller_open("alpha", failure);
    oh_call_terms terms = {
        .timeout_ms = 5000, .preface = "*2\r\n$4\r\nECHO\r\n$1\r\nx\r\n", .has_multi = true};
    char request[256], command[64];
    caller it;

    if (!snapshot) {
        return false;
    }
    bool is_answered = caller_begin(&it, snapshot, 0);
    oh_exchange_keep(&it.exchange);
    snprintf(command, sizeof command, "INCR %u", number);
    size_t length = caller_write(
        request, caller_write(request, caller_write(request, 0, "MULTI"), "EXEC"), command);
    if (is_answered && !oh_discards_add(&terms.discards, 1)) {
        oh_failure_set_no_memory(&it.failure, OH_OUTCOME_NOT_SENT);
        is_answered = false;
    }
    is_answered = is_answered && caller_send(&it, request, length, &terms);
    CHECK(!is_answered || strcmp(it.reply, "+OK\r\n+OK\r\n:1\r\n") == 0);
    oh_exchange_give_back(&it.exchange, is_answered);
    *failure = it.failure;
    caller_end(&it);
    oh_snapshot_release(snapshot);
    return is_answered;
}

/* The node does not answer. The call ends without a reply, at its deadline. */
static bool run_mute(unsigned number, oh_failure *failure)
{
    oh_snapshot *snapshot = caller_open("alpha", failure);
    oh_call_terms terms = {.timeout_ms = 20};
    char command[64];
    caller it;

    if (!snapshot) {
        return false;
    }
    snprintf(command, sizeof command, "INCR mute%u", number);
    CHECK(!caller_begin(&it, snapshot, 0) || !caller_ask(&it, command, &terms));
    *failure = it.failure;
    caller_end(&it);
    oh_snapshot_release(snapshot);
    return failure->kind == OH_ERROR_DEADLINE_EXCEEDED;
}

/* A subscription, its confirmation, and the message that the node sends immediately after it. */
static bool run_subscription(unsigned number, oh_failure *failure)
{
    static const char expected[] = "*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n*3\r\n$"
                                   "7\r\nmessage\r\n$1\r\na\r\n$5\r\nhello\r\n";
    oh_snapshot *snapshot = caller_open("alpha", failure);
    char request[64], heard[sizeof expected] = "";
    size_t length = 0, count = 1;

    if (!snapshot) {
        return false;
    }
    oh_listener *listener = oh_listener_open(snapshot, snapshot->topology, 5000, 5000, failure);
    if (!listener) {
        oh_snapshot_release(snapshot);
        oh_failure_set_no_memory(failure, OH_OUTCOME_NOT_SENT);
        return false;
    }
    oh_listener_send(listener, request, caller_write(request, 0, "SUBSCRIBE a"));
    while (count > 0 && length < sizeof expected - 1) {
        count = oh_listener_receive(listener, heard + length, sizeof expected - 1 - length);
        length += count;
    }
    CHECK(memcmp(heard, expected, length) == 0);
    oh_listener_close(listener);
    oh_snapshot_release(snapshot);
    return length == sizeof expected - 1 && increment("alpha", "", number, failure);
}

static void configure_changing(void)
{
}

/* The file changes. Either the new version is loaded, or the old one stays. */
static bool run_changed(unsigned number, oh_failure *failure)
{
    configure_named();
    oh_snapshot *snapshot = caller_open("alpha", failure);

    if (!snapshot) {
        return false;
    }
    oh_snapshot_release(snapshot);
    faults_pass_time(2);
    configure_plain();
    snapshot = caller_open("alpha", failure);
    if (!snapshot) {
        return false;
    }
    bool has_changed = snapshot->nodes_count == 2;
    if (!has_changed) {
        oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_ERROR_CONFIG_INVALID, "look again",
            "The old version stays");
    }
    oh_snapshot_release(snapshot);
    return has_changed && increment("alpha", "", number, failure);
}

/* The address in the file is that of the Sentinel, which names the other node as the master. */
static void configure_watched(void)
{
    caller_configure("alpha:\n  timeout: 5000\n  read_from: prefer_replica\n"
                     "  sentinels:\n   - 127.0.0.1:%u\n"
                     "  servers:\n   - 127.0.0.1:%u north-%u.%u\n",
        (unsigned)first->port, (unsigned)first->port, (unsigned)second->port,
        (unsigned)first->port);
}

static bool is_named(const oh_snapshot *snapshot)
{
    return snapshot->nodes_count == 2 &&
           oh_topology_node(snapshot->topology, 0).port == second->port &&
           oh_topology_node(snapshot->topology, 1).port == first->port;
}

/*
 * The Sentinel is asked, and then the master that it names. If a question fails, the address in the
 * file is used until the next question, which begins at the next call. The INCR is sent only when
 * the master is known. On a busy machine more questions may fail.
 */
static bool run_watched(unsigned number, oh_failure *failure)
{
    bool is_found = false;

    for (int i = 0; i < 20 && !is_found; i++) {
        oh_snapshot *snapshot = caller_open("alpha", failure);

        if (snapshot) {
            is_found = is_named(snapshot);
            oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_ERROR_NODE_DOWN, "ask again",
                "The Sentinel has named no master");
            oh_snapshot_release(snapshot);
        }
        oh_nodes_finish_refreshes();
    }
    bool is_answered = is_found && increment("alpha", "", number, failure);
    oh_nodes_finish_refreshes();
    oh_nodes_drop_refreshes();
    return is_answered;
}

/* ---- With real servers ---- */

static unsigned cluster_port;

static void configure_cluster(void)
{
    caller_configure(
        "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  timeout: 5000\n  cluster: true\n"
        "  servers:\n   - 127.0.0.1:%u:1\n",
        cluster_port);
}

/* The bootstrap, and a command to a master that does not own the slot of its key. */
static bool run_redirected(unsigned number, oh_failure *failure)
{
    oh_snapshot *snapshot = caller_open("alpha", failure);
    char command[64];
    int key = snprintf(command, sizeof command, "INCR %u", number) - 5;

    if (!snapshot) {
        return false;
    }
    uint32_t owner =
        oh_topology_locate(snapshot->topology, (const uint8_t *)command + 5, (size_t)key);
    bool is_answered =
        caller_gets(snapshot, oh_snapshot_next(snapshot, owner), command, ":1\r\n", failure);
    oh_snapshot_release(snapshot);
    oh_nodes_finish_refreshes();
    oh_nodes_drop_refreshes();
    return is_answered;
}

static unsigned executed_in_cluster(unsigned number)
{
    oh_failure failure;
    oh_snapshot *snapshot = caller_open("alpha", &failure);
    oh_call_terms terms = {.timeout_ms = 5000};
    char command[64];
    caller it;
    int key = snprintf(command, sizeof command, "GET %u", number) - 4;

    if (!CHECK(snapshot != NULL)) {
        return 0;
    }
    CHECK(caller_begin(&it, snapshot,
        oh_topology_locate(snapshot->topology, (const uint8_t *)command + 4, (size_t)key)));
    while (!caller_ask(&it, command, &terms) && CHECK(sweep_is_for_rest(&it.failure))) {
        faults_pass_time(60);
    }
    unsigned count = strcmp(it.reply, "$-1\r\n") == 0
                         ? 0
                         : (unsigned)strtoul(it.reply + strlen("$1\r\n"), NULL, 10);
    caller_end(&it);
    oh_snapshot_release(snapshot);
    return count;
}

/* ---- All scenarios ---- */

void test_sweep(const node *one, const node *other)
{
    static const scenario all[] = {
        {"a command on a new connection", configure_plain, run_plain, 150, 15, executed_by_nodes,
            false},
        {"a reply in parts", configure_plain, run_dripping, 150, 15, executed_by_nodes, false},
        {"a node with a host name", configure_named, run_plain, 120, 20, executed_by_nodes, false},
        {"a connection that was closed", configure_named, run_again, 120, 25, executed_by_nodes,
            false},
        {"a connection in another database", configure_plain, run_elsewhere, 150, 20,
            executed_by_nodes, false},
        {"an SSDB node", configure_ssdb, run_ssdb, 120, 15, executed_by_nodes, false},
        {"two nodes in parallel", configure_plain, run_set, 150, 25, executed_by_nodes, false},
        {"a kept connection", configure_plain, run_held, 150, 20, executed_by_nodes, false},
        {"a connection that all workers share", configure_plain, run_shared, 150, 25,
            executed_by_nodes, false},
        {"a node that is mute", configure_plain, run_mute, 0, 15, executed_by_nodes, true},
        {"a subscription", configure_plain, run_subscription, 150, 25, executed_by_nodes, false},
        {"a master that a Sentinel names", configure_watched, run_watched, 150, 25,
            executed_by_nodes, false},
        {"a file that has changed", configure_changing, run_changed, 250, 25, executed_by_nodes,
            false},
    };

    first = one;
    second = other;
    sweep(all, sizeof all / sizeof *all);
}

static const node *encrypted_node;
static const char *certificate_directory;

static unsigned executed_encrypted(unsigned number)
{
    return atomic_load(&encrypted_node->counts->executed[number]);
}

static void configure_encrypted(void)
{
    caller_configure("alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  timeout: 5000\n"
                     "  redis_auth: secret\n  tls: true\n  tls_ca_cert_file: %s/node.crt\n"
                     "  servers:\n   - 127.0.0.1:%u:1 one\n",
        certificate_directory, (unsigned)encrypted_node->port);
}

void test_sweep_encrypted(const node *encrypted, const char *directory)
{
    static const scenario all[] = {
        {"an encrypted command", configure_encrypted, run_dripping, 150, 20, executed_encrypted,
            false},
        {"an encrypted connection that was closed", configure_encrypted, run_again, 150, 30,
            executed_encrypted, false},
        {"an encrypted node that is mute", configure_encrypted, run_mute, 0, 15, executed_encrypted,
            true},
        {"an encrypted subscription", configure_encrypted, run_subscription, 150, 30,
            executed_encrypted, false},
    };

    encrypted_node = encrypted;
    certificate_directory = directory;
    sweep(all, sizeof all / sizeof *all);
}

void test_sweep_cluster(unsigned port)
{
    static const scenario redirected = {"a slot of another node", configure_cluster, run_redirected,
        150, 25, executed_in_cluster, false};

    cluster_port = port;
    sweep(&redirected, 1);
}
