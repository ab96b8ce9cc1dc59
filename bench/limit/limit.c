/*
 * The floor: how fast each job can possibly be on this machine, without a client library or an
 * interpreter.
 *
 * A worker of the benchmarks (bench/workers.py describes its protocol), in plain C with plain
 * sockets. A job's commands are formatted into one buffer per node. Each buffer is written, all
 * nodes are polled together, and every reply is parsed into the caller's order. The plan gives the
 * node of each key, because placement is not part of the floor. The program does only what every
 * client must do: it parses every reply to its end. After the clock has stopped it compares every
 * value with the expected one.
 *
 * Its one contestant has one of two kinds. `scatter` sends one MGET, MSET or DEL to each node.
 * `slots` sends one GET, SET or DEL per key, because the keys of one command must be in one slot
 * of a Redis Cluster.
 *
 * It is a measuring instrument, not a client: anything unexpected ends it with a message. Only in
 * the operation `alive` may a node die; from then on it gets no commands.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { NODES_MAX = 64, BATCH_MAX = 10000, BUFFER_BYTES = 32 << 20, LINE_BYTES = 4096 };

struct bytes {
    const char *start;
    size_t length;
};

struct key {
    char *name;
    size_t length;
    int node;
};

/* The hashes of hget, or the strings of all other operations. */
struct keys {
    struct key *all;
    int count, next;
};

struct node {
    int descriptor, is_dead;
    char *out, *in;
    size_t out_length, in_length, in_parsed;
    int *owed; /* Positions in the batch of the keys sent to this node, in order. */
    int owed_count, answered;
};

enum operation { HGET, GET, SET, MGET, MSET, DEL, COLD, ALIVE, OPERATIONS };

static const char *const operation_names[OPERATIONS] = {
    "hget", "get", "set", "mget", "mset", "del", "cold", "alive"};

struct request {
    enum operation operation;
    int count;    /* Keys of one batch. */
    size_t bytes; /* The length of a string's value. */
    int keys;     /* How many keys, from the first on, batches are made of. */
};

static struct node nodes[NODES_MAX];
static int nodes_count;
static struct keys hashes, strings;
static int batch_size, timeout_ms = 5000;
static int has_slots;
static char contestant[256];
static struct bytes values[BATCH_MAX];
static long long confirmed; /* The sum of all integer replies, and 1 for each OK. */

static const char NAME[] = "name of ", VALUE[] = "value of ";

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "limit: %s%s%s\n", what, errno ? ": " : "", errno ? strerror(errno) : "");
    exit(1);
}

static uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* ---- The plan: contestants, batch size, keys with their nodes ---- */

static void open_node(const char *host, const char *port)
{
    if (nodes_count == NODES_MAX)
        fail("too many nodes");
    struct node *node = &nodes[nodes_count++];
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
    int yes = 1;
    inet_pton(AF_INET, host, &address.sin_addr);
    node->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(node->descriptor, (struct sockaddr *)&address, sizeof address) != 0)
        fail("connect");
    setsockopt(node->descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    node->out = malloc(BUFFER_BYTES); /* The kernel gives only the pages that are used. */
    node->in = malloc(BUFFER_BYTES);
    node->owed = malloc(BATCH_MAX * sizeof *node->owed);
    if (!node->out || !node->in || !node->owed)
        fail("no memory");
}

/* "contestant NAME KIND HOST PORT HOST PORT ..."; other kinds are for other languages. */
static void read_contestant(void)
{
    char *name = strtok(NULL, " "), *kind = strtok(NULL, " "), *host, *port;
    if (!name || !kind || (strcmp(kind, "scatter") != 0 && strcmp(kind, "slots") != 0))
        return;
    snprintf(contestant, sizeof contestant, "%s", name);
    has_slots = strcmp(kind, "slots") == 0;
    while ((host = strtok(NULL, " ")) && (port = strtok(NULL, " ")))
        open_node(host, port);
}

static void read_key(struct keys *keys)
{
    char *name = strtok(NULL, " "), *node = strtok(NULL, " ");
    if (!name || !node)
        fail("the plan has a key without its node");
    if ((keys->count & (keys->count - 1)) == 0) {
        size_t room = keys->count ? (size_t)keys->count * 2 : 1;
        keys->all = realloc(keys->all, room * sizeof *keys->all);
        if (!keys->all)
            fail("no memory");
    }
    keys->all[keys->count++] = (struct key){strdup(name), strlen(name), atoi(node)};
}

static void check_nodes(const struct keys *keys)
{
    for (int i = 0; i < keys->count; i++)
        if (keys->all[i].node < 0 || keys->all[i].node >= nodes_count)
            fail("the plan names a node that does not exist");
}

static void read_plan(const char *path)
{
    char line[LINE_BYTES];
    FILE *plan = fopen(path, "r");
    if (!plan)
        fail(path);
    while (fgets(line, sizeof line, plan)) {
        line[strcspn(line, "\n")] = '\0';
        const char *what = strtok(line, " ");
        if (what && strcmp(what, "contestant") == 0)
            read_contestant();
        else if (what && strcmp(what, "key") == 0)
            read_key(&hashes);
        else if (what && strcmp(what, "string") == 0)
            read_key(&strings);
        else if (what && strcmp(what, "batch") == 0)
            batch_size = atoi(strtok(NULL, " "));
        else if (what && strcmp(what, "timeout") == 0)
            timeout_ms = atoi(strtok(NULL, " "));
    }
    fclose(plan);
    errno = 0;
    if (nodes_count == 0)
        fail("the plan has no nodes");
    check_nodes(&hashes);
    check_nodes(&strings);
}

/* ---- One batch ---- */

static void put(struct node *node, const char *bytes, size_t length)
{
    if (length > BUFFER_BYTES - node->out_length)
        fail("a batch is larger than the output buffer");
    memcpy(node->out + node->out_length, bytes, length);
    node->out_length += length;
}

static void put_header(struct node *node, char type, size_t number)
{
    char digits[24], *at = digits + sizeof digits;
    *--at = '\n';
    *--at = '\r';
    do
        *--at = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    *--at = type;
    put(node, at, (size_t)(digits + sizeof digits - at));
}

static void put_bulk(struct node *node, const char *bytes, size_t length)
{
    put_header(node, '$', length);
    put(node, bytes, length);
    put(node, "\r\n", 2);
}

/* "value of <key> ", repeated and cut. */
static void put_value(struct node *node, const struct key *key, size_t bytes)
{
    char unit[512];
    size_t length =
        (size_t)snprintf(unit, sizeof unit, "%s%.*s ", VALUE, (int)key->length, key->name);
    put_header(node, '$', bytes);
    for (size_t left = bytes; left > 0;) {
        size_t part = left < length ? left : length;
        put(node, unit, part);
        left -= part;
    }
    put(node, "\r\n", 2);
}

static void append_hget(struct node *node, const struct key *key)
{
    static const char head[] = "*3\r\n$4\r\nHGET\r\n", tail[] = "$4\r\nname\r\n";
    put(node, head, sizeof head - 1);
    put_bulk(node, key->name, key->length);
    put(node, tail, sizeof tail - 1);
}

/* The command of one key: HGET, GET, SET or DEL. */
static void append_single(struct node *node, const struct key *key, const struct request *request)
{
    switch (request->operation) {
    case HGET:
    case ALIVE: append_hget(node, key); return;
    case SET:
    case MSET:
        put(node, "*3\r\n$3\r\nSET\r\n", 13);
        put_bulk(node, key->name, key->length);
        put_value(node, key, request->bytes);
        return;
    default:
        put(node, request->operation == DEL ? "*2\r\n$3\r\nDEL\r\n" : "*2\r\n$3\r\nGET\r\n", 13);
        put_bulk(node, key->name, key->length);
    }
}

/* One MGET, MSET or DEL of all keys of this node. */
static void append_multiple(
    struct node *node, const struct key *batch, const struct request *request)
{
    const int is_mset = request->operation == MSET;
    const char *name = is_mset ? "MSET" : request->operation == MGET ? "MGET" : "DEL";
    if (node->owed_count == 0)
        return;
    put_header(node, '*', (size_t)node->owed_count * (is_mset ? 2 : 1) + 1);
    put_bulk(node, name, strlen(name));
    for (int i = 0; i < node->owed_count; i++) {
        const struct key *key = &batch[node->owed[i]];
        put_bulk(node, key->name, key->length);
        if (is_mset)
            put_value(node, key, request->bytes);
    }
    if (request->operation != MGET)
        node->owed_count = 1; /* One reply for all keys. */
}

/* True if the node has just died and the operation allows it. */
static int died(struct node *node, const struct request *request, const char *what)
{
    if (request->operation != ALIVE)
        fail(what);
    node->is_dead = 1;
    return 1;
}

static void write_all(struct node *node, const struct request *request)
{
    for (size_t sent = 0; sent < node->out_length;) {
        ssize_t count =
            send(node->descriptor, node->out + sent, node->out_length - sent, MSG_NOSIGNAL);
        if (count < 0 && errno != EINTR && died(node, request, "send"))
            return;
        sent += count > 0 ? (size_t)count : 0;
    }
}

/* Takes one complete reply that is not an array's header. */
static void take(struct node *node, char type, struct bytes reply, long long number)
{
    if (type == '$')
        values[node->owed[node->answered]] = reply;
    else
        confirmed += type == '+' ? 1 : number;
    node->answered++;
}

/* Parses the complete replies received so far; an incomplete one waits for the next call. */
static void parse(struct node *node)
{
    const char *end = node->in + node->in_length;
    while (node->answered < node->owed_count) {
        const char *at = node->in + node->in_parsed;
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        size_t length = 0;
        if (!line_end)
            return;
        if (!strchr("$*+:", *at) || at[1] == '-')
            fail("a reply is not a value");
        for (const char *digit = at + 1; *at != '+' && digit < line_end - 1; digit++)
            length = length * 10 + (size_t)(*digit - '0');
        if (*at == '$' && (size_t)(end - line_end - 1) < length + 2)
            return;
        node->in_parsed = (size_t)(line_end + 1 - node->in) + (*at == '$' ? length + 2 : 0);
        if (*at != '*')
            take(node, *at, (struct bytes){line_end + 1, length}, (long long)length);
    }
    if (node->in_parsed != node->in_length)
        fail("a node sent more than was requested");
}

static void read_some(struct node *node, const struct request *request)
{
    if (node->in_length == BUFFER_BYTES)
        fail("a batch's replies are larger than the input buffer");
    ssize_t count =
        recv(node->descriptor, node->in + node->in_length, BUFFER_BYTES - node->in_length, 0);
    if ((count == 0 || (count < 0 && errno != EINTR)) && died(node, request, "recv"))
        return;
    node->in_length += count > 0 ? (size_t)count : 0;
    parse(node);
}

static void gather(const struct request *request)
{
    struct pollfd waiting[NODES_MAX];
    for (;;) {
        int open = 0;
        for (int i = 0; i < nodes_count; i++) {
            int is_done = nodes[i].is_dead || nodes[i].answered == nodes[i].owed_count;
            waiting[i] =
                (struct pollfd){.fd = is_done ? -1 : nodes[i].descriptor, .events = POLLIN};
            open += !is_done;
        }
        if (open == 0)
            return;
        int ready = poll(waiting, (nfds_t)nodes_count, timeout_ms);
        if (ready < 0 && errno != EINTR)
            fail("poll");
        for (int i = 0; i < nodes_count; i++)
            if (waiting[i].revents)
                read_some(&nodes[i], request);
            else if (ready == 0 && waiting[i].fd >= 0)
                died(&nodes[i], request, "a node did not answer in time");
    }
}

static void reset(struct node *node)
{
    node->out_length = node->in_length = node->in_parsed = 0;
    node->owed_count = node->answered = 0;
}

static void run_batch(const struct key *batch, const struct request *request)
{
    const enum operation operation = request->operation;
    const int is_multiple =
        !has_slots && (operation == MGET || operation == MSET || operation == DEL);
    for (int i = 0; i < nodes_count; i++)
        reset(&nodes[i]);
    for (int i = 0; i < request->count; i++) {
        struct node *node = &nodes[batch[i].node];
        if (node->is_dead)
            continue;
        if (!is_multiple)
            append_single(node, &batch[i], request);
        node->owed[node->owed_count++] = i;
    }
    for (int i = 0; is_multiple && i < nodes_count; i++)
        append_multiple(&nodes[i], batch, request);
    for (int i = 0; i < nodes_count; i++)
        write_all(&nodes[i], request);
    gather(request);
}

/* One command after the other: each has been answered before the next is sent. */
static void run_single(const struct key *batch, const struct request *request)
{
    for (int i = 0; i < nodes_count; i++)
        reset(&nodes[i]);
    for (int i = 0; i < request->count; i++) {
        struct node *node = &nodes[batch[i].node];
        node->out_length = 0;
        append_single(node, &batch[i], request);
        node->owed[node->owed_count++] = i;
        write_all(node, request);
        while (node->answered < node->owed_count)
            read_some(node, request);
    }
}

/* ---- Is it right? ---- */

static int is_name(struct bytes value, const struct key *key)
{
    const size_t prefix = sizeof NAME - 1;
    return value.length == prefix + key->length && memcmp(value.start, NAME, prefix) == 0 &&
           memcmp(value.start + prefix, key->name, key->length) == 0;
}

/* True if the first unit is right, and each later byte equals the one a unit before it. */
static int is_value(struct bytes value, const struct key *key, size_t bytes)
{
    char unit[512];
    size_t length =
        (size_t)snprintf(unit, sizeof unit, "%s%.*s ", VALUE, (int)key->length, key->name);
    size_t first = bytes < length ? bytes : length;
    return value.length == bytes && memcmp(value.start, unit, first) == 0 &&
           memcmp(value.start + first, value.start, bytes - first) == 0;
}

/* Returns how many values are right; a wrong value ends the program. */
static int check_batch(const struct key *batch, const struct request *request)
{
    int right = 0;
    for (int i = 0; i < request->count; i++) {
        const int is_hash = request->operation == HGET || request->operation == ALIVE;
        if (nodes[batch[i].node].is_dead)
            continue;
        if (!(is_hash ? is_name(values[i], &batch[i])
                      : is_value(values[i], &batch[i], request->bytes)))
            fail(batch[i].name);
        right++;
    }
    return right;
}

/* Writes or reads back the keys of a batch, with the clock stopped. */
static void run_beside(const struct key *batch, const struct request *request, enum operation what)
{
    const struct request beside = {what, request->count, request->bytes, request->keys};
    run_batch(batch, &beside);
}

/* Checks the replies and values of SET, MSET and DEL. Afterwards the keys exist. */
static void check_written(const struct key *batch, const struct request *request)
{
    long long expected = request->count;
    if (request->operation == MSET && !has_slots)
        for (int i = expected = 0; i < nodes_count; i++)
            expected += nodes[i].owed_count;
    if (confirmed != expected)
        fail("a write was not confirmed");
    if (request->operation == DEL)
        run_beside(batch, request, MSET);
    run_beside(batch, request, MGET);
    check_batch(batch, request);
}

/* ---- The protocol ---- */

/* Measures one batch in nanoseconds and prints it, if `is_timed`. */
static void run_one(const struct key *batch, const struct request *request, int is_timed)
{
    const enum operation operation = request->operation;
    const int is_single = operation == GET || operation == SET || operation == COLD;
    const int is_write = operation == SET || operation == MSET || operation == DEL;
    int right = request->count;
    if (operation == DEL)
        run_beside(batch, request, MSET);
    confirmed = 0;
    uint64_t start = now_ns();
    if (is_single)
        run_single(batch, request);
    else
        run_batch(batch, request);
    uint64_t taken = now_ns() - start;
    if (is_write)
        check_written(batch, request);
    else
        right = check_batch(batch, request);
    if (is_timed && operation == ALIVE)
        printf("%llu/%d ", (unsigned long long)taken, right);
    else if (is_timed)
        printf("%llu ", (unsigned long long)taken);
}

static void run(const struct request *request, int untimed, int timed)
{
    const int is_hash = request->operation == HGET || request->operation == ALIVE;
    struct keys *keys = is_hash ? &hashes : &strings;
    if (request->count < 1 || request->count > BATCH_MAX || request->keys > keys->count ||
        request->keys < request->count)
        fail("the plan has too few keys for this request");
    for (int i = 0; i < untimed + timed; i++) {
        keys->next = (keys->next + request->count - 1) / request->count * request->count;
        if (keys->next + request->count > request->keys)
            keys->next = 0;
        run_one(keys->all + keys->next, request, i >= untimed);
        keys->next += request->count;
    }
    printf("\n");
    fflush(stdout);
}

/* The operation with this name, or OPERATIONS. */
static enum operation operation_named(const char *name)
{
    for (int i = 0; i < OPERATIONS; i++)
        if (strcmp(name, operation_names[i]) == 0)
            return (enum operation)i;
    return OPERATIONS;
}

int main(int count, char **arguments)
{
    char line[LINE_BYTES], name[256], operation[16];
    int untimed, timed;
    if (count != 2)
        fail("usage: limit PLAN");
    read_plan(arguments[1]);
    printf("ready\n");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        struct request request = {HGET, batch_size, 0, hashes.count};
        int words = sscanf(line, "run %255s %d %d %15s %d %zu %d", name, &untimed, &timed,
            operation, &request.count, &request.bytes, &request.keys);
        if ((words != 3 && words != 7) || strcmp(name, contestant) != 0)
            fail("not a request");
        if (words == 7)
            request.operation = operation_named(operation);
        if (request.operation != OPERATIONS) {
            run(&request, untimed, timed);
        } else {
            printf("no\n");
            fflush(stdout);
        }
    }
    return 0;
}
