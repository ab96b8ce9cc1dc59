/*
 * The floor: how fast 1000 HGETs can possibly be on this machine, without a client library or an
 * interpreter.
 *
 * A worker of the benchmark (bench/workers.py describes its protocol), in plain C with plain
 * sockets. Its one contestant formats the commands of a batch into one buffer per node, writes each
 * buffer, polls all nodes together, and parses every reply into the caller's order. It is given the
 * node of each key, because placement is not part of the floor. It does only what every client must
 * do: it parses every reply to its end. After the clock has stopped it compares every value with
 * the expected one.
 *
 * It is a measuring instrument, not a client: anything unexpected ends it with a message.
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

enum {
    NODES_MAX = 64,
    BATCH_MAX = 10000,
    BUFFER_BYTES = 1 << 20,
    LINE_BYTES = 4096,
    TIMEOUT_MS = 5000
};

struct bytes {
    const char *start;
    size_t length;
};

struct key {
    char *name;
    size_t length;
    int node;
};

struct node {
    int descriptor;
    char *out, *in;
    size_t out_length, in_length, in_parsed;
    int *owed; /* Positions in the batch of the commands sent to this node, in order. */
    int owed_count, answered;
};

static struct node nodes[NODES_MAX];
static int nodes_count;
static struct key *keys;
static int keys_count, batch_size;
static char contestant[256];
static struct bytes values[BATCH_MAX];

static const char VALUE_PREFIX[] = "name of ";

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
    node->out = malloc(BUFFER_BYTES);
    node->in = malloc(BUFFER_BYTES);
    node->owed = malloc(BATCH_MAX * sizeof *node->owed);
    if (!node->out || !node->in || !node->owed)
        fail("no memory");
}

/*
 * "contestant NAME scatter HOST PORT HOST PORT ..."; lines with other kinds are for other
 * languages.
 */
static void read_contestant(void)
{
    char *name = strtok(NULL, " "), *kind = strtok(NULL, " "), *host, *port;
    if (!name || !kind || strcmp(kind, "scatter") != 0)
        return;
    snprintf(contestant, sizeof contestant, "%s", name);
    while ((host = strtok(NULL, " ")) && (port = strtok(NULL, " ")))
        open_node(host, port);
}

static void read_key(void)
{
    char *name = strtok(NULL, " "), *node = strtok(NULL, " ");
    if (!name || !node)
        fail("the plan has a key without its node");
    if ((keys_count & (keys_count - 1)) == 0) {
        keys = realloc(keys, (size_t)(keys_count ? keys_count * 2 : 1) * sizeof *keys);
        if (!keys)
            fail("no memory");
    }
    keys[keys_count++] = (struct key){strdup(name), strlen(name), atoi(node)};
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
            read_key();
        else if (what && strcmp(what, "batch") == 0)
            batch_size = atoi(strtok(NULL, " "));
    }
    fclose(plan);
    errno = 0;
    if (batch_size < 1 || batch_size > BATCH_MAX || keys_count % batch_size != 0 ||
        nodes_count == 0)
        fail("the plan has no usable batch size, keys or nodes");
    for (int i = 0; i < keys_count; i++)
        if (keys[i].node < 0 || keys[i].node >= nodes_count)
            fail("the plan names a node that does not exist");
}

/* ---- One batch ---- */

static char *put(char *at, const char *bytes, size_t length)
{
    memcpy(at, bytes, length);
    return at + length;
}

static char *put_length(char *at, size_t length)
{
    char digits[20];
    size_t count = 0;
    do
        digits[count++] = (char)('0' + length % 10);
    while ((length /= 10) > 0);
    while (count > 0)
        *at++ = digits[--count];
    return at;
}

static void append_hget(struct node *node, const struct key *key)
{
    static const char head[] = "*3\r\n$4\r\nHGET\r\n$", tail[] = "\r\n$4\r\nname\r\n";
    char *at = node->out + node->out_length;
    if (node->out_length + key->length + 64 > BUFFER_BYTES)
        fail("a batch is larger than the output buffer");
    at = put(at, head, sizeof head - 1);
    at = put_length(at, key->length);
    at = put(at, "\r\n", 2);
    at = put(at, key->name, key->length);
    at = put(at, tail, sizeof tail - 1);
    node->out_length = (size_t)(at - node->out);
}

static void write_all(struct node *node)
{
    for (size_t sent = 0; sent < node->out_length;) {
        ssize_t count =
            send(node->descriptor, node->out + sent, node->out_length - sent, MSG_NOSIGNAL);
        if (count < 0 && errno != EINTR)
            fail("send");
        sent += count > 0 ? (size_t)count : 0;
    }
}

/* Parses the complete bulk replies received so far; an incomplete one waits for the next call. */
static void parse(struct node *node)
{
    const char *end = node->in + node->in_length;
    while (node->answered < node->owed_count) {
        const char *at = node->in + node->in_parsed;
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        size_t length = 0;
        if (!line_end)
            return;
        if (*at != '$' || at[1] == '-')
            fail("a reply is not a value");
        for (const char *digit = at + 1; digit < line_end - 1; digit++)
            length = length * 10 + (size_t)(*digit - '0');
        if ((size_t)(end - line_end - 1) < length + 2)
            return;
        values[node->owed[node->answered++]] = (struct bytes){line_end + 1, length};
        node->in_parsed = (size_t)(line_end + 1 + length + 2 - node->in);
    }
    if (node->in_parsed != node->in_length)
        fail("a node sent more than was requested");
}

static void read_some(struct node *node)
{
    if (node->in_length == BUFFER_BYTES)
        fail("a batch's replies are larger than the input buffer");
    ssize_t count =
        recv(node->descriptor, node->in + node->in_length, BUFFER_BYTES - node->in_length, 0);
    if (count == 0)
        fail("a node closed the connection");
    if (count < 0 && errno != EINTR)
        fail("recv");
    node->in_length += count > 0 ? (size_t)count : 0;
    parse(node);
}

static void gather(void)
{
    struct pollfd waiting[NODES_MAX];
    for (;;) {
        int open = 0;
        for (int i = 0; i < nodes_count; i++) {
            int is_done = nodes[i].answered == nodes[i].owed_count;
            waiting[i] =
                (struct pollfd){.fd = is_done ? -1 : nodes[i].descriptor, .events = POLLIN};
            open += !is_done;
        }
        if (open == 0)
            return;
        int ready = poll(waiting, (nfds_t)nodes_count, TIMEOUT_MS);
        if (ready == 0 || (ready < 0 && errno != EINTR))
            fail("poll");
        for (int i = 0; i < nodes_count; i++)
            if (waiting[i].revents)
                read_some(&nodes[i]);
    }
}

static void run_batch(const struct key *batch)
{
    for (int i = 0; i < nodes_count; i++) {
        struct node *node = &nodes[i];
        node->out_length = node->in_length = node->in_parsed = 0;
        node->owed_count = node->answered = 0;
    }
    for (int i = 0; i < batch_size; i++) {
        struct node *node = &nodes[batch[i].node];
        append_hget(node, &batch[i]);
        node->owed[node->owed_count++] = i;
    }
    for (int i = 0; i < nodes_count; i++)
        write_all(&nodes[i]);
    gather();
}

static void check_batch(const struct key *batch)
{
    const size_t prefix = sizeof VALUE_PREFIX - 1;
    for (int i = 0; i < batch_size; i++) {
        const struct bytes value = values[i];
        if (value.length != prefix + batch[i].length ||
            memcmp(value.start, VALUE_PREFIX, prefix) != 0 ||
            memcmp(value.start + prefix, batch[i].name, batch[i].length) != 0)
            fail(batch[i].name);
    }
}

/* ---- The protocol ---- */

static void run(int untimed, int timed)
{
    static int next_key;
    for (int i = 0; i < untimed + timed; i++) {
        const struct key *batch = keys + next_key;
        uint64_t start = now_ns();
        run_batch(batch);
        uint64_t taken = now_ns() - start;
        check_batch(batch);
        next_key = (next_key + batch_size) % keys_count;
        if (i >= untimed)
            printf("%s%llu", i > untimed ? " " : "", (unsigned long long)taken);
    }
    printf("\n");
    fflush(stdout);
}

int main(int count, char **arguments)
{
    char line[LINE_BYTES], name[256];
    int untimed, timed;
    if (count != 2)
        fail("usage: limit PLAN");
    read_plan(arguments[1]);
    printf("ready\n");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "run %255s %d %d", name, &untimed, &timed) != 3 ||
            strcmp(name, contestant) != 0)
            fail("not a request");
        run(untimed, timed);
    }
    return 0;
}
