/*
 * Any bytes as the answers of nodes to the engine: to a command, a handshake, a pipeline, a
 * translation for SSDB, a subscription, and after redirects of a Redis Cluster. The kernel is
 * simulated. A read from any socket returns the next bytes, in pieces whose size depends on the
 * bytes. After the last byte all sockets are closed. The caller gets only what the node has sent,
 * or a failure with a reason. The call ends, and no connection stays leased.
 *
 * The first byte chooses the call; the others are the answer.
 */
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "engine/listener/listener.h"
#include "engine/resend/resend.h"
#include "engine/source/source.h"
#include "fuzz.h"

const char *const fuzz_words[] = {"\x06$1\r\nx\r\n", "\x01+OK\r\n+OK\r\n$1\r\nx\r\n",
    "\x02$1\r\na\r\n+OK\r\n+QUEUED\r\n*1\r\n$1\r\nb\r\n", "\x03+1.9.9\r\n:1\r\n:0\r\n:0\r\n:0\r\n",
    "\x04*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nb\r\n",
    "\x05-MOVED 15495 127.0.0.1:2\r\n$1\r\nx\r\n",
    "\x0b-ASK 15495 127.0.0.1:1\r\n+OK\r\n$1\r\nx\r\n", "\x05-TRYAGAIN\r\n$1\r\nx\r\n",
    "\x0b-CLUSTERDOWN x\r\n", "\x02-EXECABORT x\r\n", "+QUEUED\r\n", "*1\r\n", ":1\r\n", "$-1\r\n",
    "*-1\r\n", "-ERR max number of clients\r\n", "-DENIED\r\n", "-NOAUTH x\r\n",
    "-ERR no password is set\r\n", ">1\r\n", "$536870912\r\n", "\r\n", NULL};

/* ---- The kernel ---- */

#define SOCKETS 512
#define FIRST_SOCKET 100000 /* No real socket of the process is as high. */
#define PIECE_MAX 24

static const char picture[] = "$0\r\n\r\n*2\r\n"
                              "*3\r\n:0\r\n:8191\r\n*3\r\n$9\r\n127.0.0.1\r\n:1\r\n$"
                              "40\r\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n"
                              "*3\r\n:8192\r\n:16383\r\n*3\r\n$9\r\n127.0.0.1\r\n:2\r\n$"
                              "40\r\nbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\r\n";
static const char greeting[] = "+OK\r\n+OK\r\n+OK\r\n";
static const char no_shards[] = "$0\r\n\r\n-ERR unknown subcommand\r\n";

typedef struct {
    const uint8_t *bytes;
    size_t length;
} stream;

static stream answer;             /* The bytes that are not read yet. */
static stream pictures[SOCKETS];  /* The cluster's maps, one for each socket that has asked. */
static stream greetings[SOCKETS]; /* The replies to introductions in front of a command. */
static unsigned opened;
static uint64_t now_ns = 1000000000;

#define WRAPPED(result, name, ...)                                                                 \
    result __wrap_##name(__VA_ARGS__);                                                             \
    result __wrap_##name(__VA_ARGS__)

WRAPPED(int, socket, int family, int type, int protocol)
{
    (void)family, (void)type, (void)protocol;
    pictures[++opened % SOCKETS].length = 0;
    greetings[opened % SOCKETS].length = 0;
    return FIRST_SOCKET + (int)(opened % SOCKETS);
}

WRAPPED(int, connect, int fd, const struct sockaddr *address, socklen_t length)
{
    (void)fd, (void)address, (void)length;
    return 0;
}

WRAPPED(int, setsockopt, int fd, int level, int name, const void *value, socklen_t length)
{
    (void)fd, (void)level, (void)name, (void)value, (void)length;
    return 0;
}

WRAPPED(int, getsockopt, int fd, int level, int name, void *value, socklen_t *length)
{
    (void)fd, (void)level, (void)name;
    memset(value, 0, *length);
    return 0;
}

int __real_fcntl(int fd, int command, ...);
WRAPPED(int, fcntl, int fd, int command, ...)
{
    return fd >= FIRST_SOCKET ? 0 : __real_fcntl(fd, command, 0);
}

int __real_close(int fd);
WRAPPED(int, close, int fd)
{
    return fd >= FIRST_SOCKET ? 0 : __real_close(fd);
}

WRAPPED(int, clock_gettime, clockid_t clock, struct timespec *now)
{
    (void)clock;
    now_ns += 1000;
    *now = (struct timespec){
        .tv_sec = (time_t)(now_ns / 1000000000), .tv_nsec = (long)(now_ns % 1000000000)};
    return 0;
}

WRAPPED(int, poll, struct pollfd *descriptors, nfds_t count, int milliseconds)
{
    int ready = 0;

    for (nfds_t i = 0; i < count; i++) {
        descriptors[i].revents = descriptors[i].fd >= 0 ? descriptors[i].events : 0;
        ready += descriptors[i].revents != 0;
    }
    now_ns += ready == 0 && milliseconds > 0 ? (uint64_t)milliseconds * 1000000 : 0;
    return ready;
}

WRAPPED(int, ppoll, struct pollfd *descriptors, nfds_t count, const struct timespec *limit,
    const sigset_t *mask)
{
    (void)mask;
    return __wrap_poll(descriptors, count, limit ? (int)(limit->tv_sec * 1000) : 1);
}

/*
 * Requests for the cluster's map, and introductions that leave together with a command, have fixed
 * answers. All other requests are answered by the bytes.
 */
WRAPPED(ssize_t, send, int fd, const void *bytes, size_t size, int flags)
{
    if (flags & MSG_MORE) {
        greetings[fd - FIRST_SOCKET] = (stream){(const uint8_t *)greeting, sizeof greeting - 1};
        return (ssize_t)size;
    }
    bool is_slots = memmem(bytes, size, "SLOTS", 5) != NULL,
         is_shards = memmem(bytes, size, "SHARDS", 6) != NULL;
    if (is_slots || is_shards) {
        pictures[fd - FIRST_SOCKET].bytes = (const uint8_t *)(is_slots ? picture : no_shards);
        pictures[fd - FIRST_SOCKET].length = is_slots ? sizeof picture - 1 : sizeof no_shards - 1;
        return (ssize_t)size;
    }
    return (ssize_t)(size > 64 ? size / 2 : size);
}

/*
 * A piece ends at the end of a line. Otherwise bytes after the answer to a handshake would arrive
 * before the next command is sent.
 */
static size_t next_piece(const stream *from)
{
    if (from->length == 0) {
        return 0;
    }
    size_t piece = (from->bytes[0] * 7u + from->length) % PIECE_MAX + 1;
    piece = piece < from->length ? piece : from->length;
    const uint8_t *end = strchr("+-", from->bytes[0]) ? memchr(from->bytes, '\n', piece) : NULL;
    return end ? (size_t)(end - from->bytes) + 1 : piece;
}

WRAPPED(ssize_t, recv, int fd, void *bytes, size_t size, int flags)
{
    stream *from = greetings[fd - FIRST_SOCKET].length > 0  ? &greetings[fd - FIRST_SOCKET]
                   : pictures[fd - FIRST_SOCKET].length > 0 ? &pictures[fd - FIRST_SOCKET]
                                                            : &answer;
    size_t piece = next_piece(from);
    piece = piece < size ? piece : size;
    if (piece > 0) {
        memcpy(bytes, from->bytes, piece);
    }
    if (!(flags & MSG_PEEK)) {
        from->bytes += piece;
        from->length -= piece;
    }
    return (ssize_t)piece;
}

/* ---- The engine ---- */

#define POOL(name, port, more)                                                                     \
    name ":\n  listen: 127.0.0.1:" port "\n  redis: true\n  timeout: 1000\n" more                  \
         "  servers:\n   - 127.0.0.1:1:1\n"

typedef enum { PLAIN, SIGNED_IN, PIPELINE, SSDB, LISTENER, CLUSTER, MODES } mode;

static const char config[] =
    POOL("plain", "1", "") POOL("signed", "2", "  redis_auth: x\n  database: 1\n")
        POOL("ssdb", "3", "  engine: ssdb\n") POOL("cluster", "4", "  cluster: true\n");
static const char *const pools[MODES] = {"plain", "signed", "plain", "ssdb", "plain", "cluster"};
static oh_snapshot *snapshots[MODES];

static const char get[] = "*2\r\n$3\r\nGET\r\n$1\r\na\r\n";
static const char many[] = "*2\r\n$3\r\nGET\r\n$1\r\na\r\n*1\r\n$5\r\nMULTI\r\n*2\r\n$3\r\nGET\r\n$"
                           "1\r\nb\r\n*1\r\n$4\r\nEXEC\r\n";
static const char exists[] = "*2\r\n$6\r\nEXISTS\r\n$1\r\na\r\n";
static const char subscribe[] = "*2\r\n$9\r\nSUBSCRIBE\r\n$1\r\na\r\n";

static void ignore(const char *text)
{
    (void)text;
}

static void ignore_line(int severity, const char *text)
{
    (void)severity, (void)text;
}

static void begin(void)
{
    char path[] = "/tmp/onehop-fuzz-XXXXXX";
    int file = mkstemp(path);
    MUST(file >= 0 && write(file, config, sizeof config - 1) == sizeof config - 1 &&
         close(file) == 0);
    oh_surroundings.warn = ignore;
    oh_surroundings.log = oh_surroundings.announce = ignore_line;
    for (int i = 0; i < MODES; i++) {
        oh_failure failure;
        bool is_found;
        snapshots[i] =
            oh_source_load((oh_text){pools[i], strlen(pools[i])}, path, &failure, &is_found);
        if (!snapshots[i]) {
            fprintf(stderr, "%s: %s\n", pools[i], failure.what);
            abort();
        }
    }
    unlink(path);
}

static void check_failure(const oh_failure *failure)
{
    MUST(failure->kind < OH_ERROR_KINDS_COUNT && failure->outcome < OH_OUTCOMES_COUNT);
    MUST(failure->what[0] != '\0' && failure->advice);
}

static void exchange_with(mode what, const char *request, uint32_t node)
{
    const stream whole = answer;
    static char given[1 << 16];
    oh_snapshot *snapshot = snapshots[what];
    oh_connections *connections = oh_snapshot_connections(snapshot, node);
    oh_peer peer = {.connections = connections,
        .metered = oh_snapshot_metered(snapshot, node),
        .is_of_plain_pool = what != CLUSTER};
    oh_call_terms terms = {.timeout_ms = 1000, .is_read_only = true, .has_multi = request == many};
    oh_exchange exchange = {0};
    oh_failure failure = {.advice = NULL};
    size_t length = 0, count;

    oh_exchange_make(&exchange, peer, &failure);
    MUST(what != CLUSTER || oh_redirects_attach(&exchange, snapshot, node));
    oh_exchange_prepare(&exchange, &terms, NULL);
    if (oh_exchange_run(&exchange, request, strlen(request))) {
        while ((oh_replies_length(&exchange.replies) > 0 || oh_exchange_is_active(&exchange)) &&
               length < sizeof given &&
               (count = oh_exchange_read(&exchange, given + length, sizeof given - length)) > 0) {
            length += count;
        }
        MUST(what != PLAIN || (length <= whole.length && memcmp(given, whole.bytes, length) == 0));
    }
    if (oh_exchange_has_failed(&exchange)) {
        check_failure(&failure);
    }
    oh_exchange_finish(&exchange);
    oh_exchange_end(&exchange);
    MUST(oh_pool_view_now(connections).leased == 0);
}

static void listen_to_it(void)
{
    oh_snapshot *snapshot = snapshots[LISTENER];
    oh_failure failure = {.advice = NULL};
    oh_listener *listener = oh_listener_open(snapshot, snapshot->topology, 1000, 1000, &failure);
    char bytes[256];

    MUST(listener != NULL);
    oh_listener_send(listener, subscribe, sizeof subscribe - 1);
    while (oh_listener_receive(listener, bytes, sizeof bytes) > 0) {
    }
    if (listener->has_failed) {
        check_failure(&failure);
    }
    oh_listener_close(listener);
    MUST(oh_pool_view_now(oh_snapshot_connections(snapshot, 0)).leased == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length == 0) {
        return 0;
    }
    if (!snapshots[0]) {
        begin();
    }
    mode what = bytes[0] % MODES;
    now_ns += UINT64_C(60000000000); /* After this time no node rests. */
    answer = (stream){bytes + 1, length - 1};
    if (what == LISTENER) {
        listen_to_it();
    } else {
        exchange_with(what,
            what == PIPELINE ? many
            : what == SSDB   ? exists
                             : get,
            what == CLUSTER ? bytes[0] / MODES % 2 : 0);
    }
    answer = (stream){NULL, 0}; /* Now the nodes close idle connections. */
    return 0;
}
