/*
 * Tests of encrypted connections: of a channel by itself, over a socket, and of the engine with a
 * node that speaks TLS.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/err.h>

#include "engine/tls/tls.h"

#include "engine_tests.h"

/* Beside its data a record has a head of 5 bytes, a byte for its type, and a tag of 16 bytes. */
#define RECORD_BYTES(data) (5 + (data) + 1 + 16)

typedef struct line {
    oh_tls_peer *peer;
    oh_tls_channel *channel;
    int socket;
} line;

static void wait_for(const line *it, short events)
{
    poll(&(struct pollfd){.fd = it->socket, .events = events}, 1, -1);
}

/* Begins a line, but not its handshake. */
static line begin_line(int socket, const char *directory)
{
    char ca[PATH_MAX];
    int length = snprintf(ca, sizeof ca, "%s/node.crt", directory);
    oh_server_pool pool = {
        .tls = {.is_on = true, .verify = OH_TLS_CA, .ca_cert_file = {ca, (size_t)length}}};
    line it = {.peer = oh_tls_peer_open(&pool, (oh_text){"127.0.0.1", strlen("127.0.0.1")}),
        .socket = socket};
    oh_failure failure;

    CHECK(oh_tls_peer_prepare(it.peer, &failure));
    it.channel = oh_tls_channel_open(it.peer, it.socket, &failure);
    return it;
}

static line open_line(const node *encrypted, const char *directory)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
        .sin_port = htons(encrypted->port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    line it = begin_line(socket(AF_INET, SOCK_STREAM, 0), directory);
    oh_failure failure;
    short events;

    CHECK(connect(it.socket, (struct sockaddr *)&address, sizeof address) == 0);
    while (oh_tls_channel_advance(it.channel, &events, &failure) == OH_PROGRESS_WAITS) {
        wait_for(&it, events);
    }
    return it;
}

static void close_line(line *it)
{
    oh_tls_channel_close(it->channel);
    oh_tls_peer_close(it->peer);
    close(it->socket);
}

static int arrived(const line *it)
{
    int count = 0;

    ioctl(it->socket, FIONREAD, &count);
    return count;
}

static void ask(const line *it, const char *command)
{
    char request[128];
    size_t length = caller_write(request, 0, command);

    CHECK(oh_tls_channel_send(it->channel, request, length) == (ssize_t)length);
}

/* Receives a reply, and the tickets that the node sent before it. */
static void pass_tickets(const line *it)
{
    char reply[64];
    ssize_t count;

    ask(it, "ECHO right");
    do {
        wait_for(it, POLLIN);
        count = oh_tls_channel_receive(it->channel, reply, sizeof reply, MSG_DONTWAIT);
    } while (count < 0 && errno == EINTR);
    CHECK(count == 11 && memcmp(reply, "$5\r\nright\r\n", 11) == 0);
}

/* HelloRequests need no key, and a client of TLS 1.2 skips them. */
static void test_hello_requests(const char *directory)
{
    static uint8_t record[5 + 16000] = {22, 3, 3, 16000 >> 8, 16000 & 255};
    int ends[2];
    oh_failure failure;
    short events;

    test_begin("a handshake returns to its caller, however many HelloRequests the node sends");
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    for (int i = 0; i < 4; i++) {
        CHECK(send(ends[1], record, sizeof record, 0) == sizeof record);
    }
    line it = begin_line(ends[0], directory);
    CHECK(oh_tls_channel_advance(it.channel, &events, &failure) == OH_PROGRESS_WAITS);
    CHECK(events == POLLIN && arrived(&it) > 0);
    close_line(&it);
    close(ends[1]);
}

static void test_renewals(const node *encrypted, const char *directory)
{
    char command[64], reply[64];
    ssize_t count;
    int calls = 0;

    test_begin("a receive returns to its caller, however often the node changes its keys");
    line it = open_line(encrypted, directory);
    pass_tickets(&it);
    snprintf(command, sizeof command, "INCR renew:%u", caller_number());
    ask(&it, command);
    while (arrived(&it) < NODE_RENEWALS * RECORD_BYTES(5)) {
        usleep(1000);
    }
    do {
        wait_for(&it, POLLIN);
        count = oh_tls_channel_receive(it.channel, reply, sizeof reply, MSG_DONTWAIT);
        calls++;
    } while (count < 0 && errno == EINTR);
    CHECK(calls > 1);
    CHECK(count == 4 && memcmp(reply, ":1\r\n", 4) == 0);
    close_line(&it);
}

static void test_spoilt_record(const node *encrypted, const char *directory)
{
    char command[64], reply[64];

    test_begin("a reply before a record that cannot be opened is received, and leaves no error");
    line it = open_line(encrypted, directory);
    pass_tickets(&it);
    snprintf(command, sizeof command, "INCR spoil:%u", caller_number());
    ask(&it, command);
    while (arrived(&it) < RECORD_BYTES(4) + NODE_SPOILT_BYTES) {
        usleep(1000);
    }
    CHECK(oh_tls_channel_receive(it.channel, reply, sizeof reply, MSG_DONTWAIT) == 4);
    CHECK(memcmp(reply, ":1\r\n", 4) == 0 && ERR_peek_error() == 0);
    CHECK(oh_tls_channel_has_buffered(it.channel));
    CHECK(oh_tls_channel_receive(it.channel, reply, sizeof reply, MSG_DONTWAIT) < 0);
    CHECK(errno == EPROTO && ERR_peek_error() == 0);
    close_line(&it);
}

static void test_part(const node *encrypted, const char *directory)
{
    oh_call_terms terms = {.timeout_ms = 5000};
    oh_failure failure;
    char command[64];
    caller it;

    caller_configure("alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  timeout: 5000\n"
                     "  tls: true\n  tls_ca_cert_file: %s/node.crt\n"
                     "  servers:\n   - 127.0.0.1:%u:1 one\n",
        directory, (unsigned)encrypted->port);
    oh_snapshot *snapshot = caller_open("alpha", &failure);
    for (unsigned length = 1; length < RECORD_BYTES(11); length++) {
        test_begin("a surplus reply of which %u bytes have arrived is not the next reply", length);
        snprintf(command, sizeof command, "INCR part:%u", length);
        CHECK(caller_begin(&it, snapshot, 0) && caller_ask(&it, command, &terms));
        CHECK(it.reply[0] == ':');
        caller_end(&it);
        CHECK(caller_gets(snapshot, 0, "ECHO right", "$5\r\nright\r\n", &failure));
    }
    oh_snapshot_release(snapshot);
    caller_leave();
}

void test_tls(const node *encrypted, const char *directory)
{
    test_hello_requests(directory);
    test_renewals(encrypted, directory);
    test_spoilt_record(encrypted, directory);
    test_part(encrypted, directory);
}
