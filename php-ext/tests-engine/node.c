/*
 * A node has one thread for each connection. The thread blocks while it reads and writes. With TLS
 * it reads and writes by OpenSSL's own functions for sockets.
 */
#include "node.h"

#include <arpa/inet.h>
#include <limits.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/ssl.h>

#define WORDS_MAX 4
#define WORD_BYTES 65536
#define REPLY_BYTES (WORD_BYTES + 64)

typedef struct talk {
    FILE *in;
    int socket;
    SSL *ssl; /* NULL for a plain connection. */
    node_counts *counts;
    unsigned count;
    char words[WORDS_MAX][WORD_BYTES]; /* Words that do not fit share the last place. */
    char reply[REPLY_BYTES];
    size_t length;
    BIO *rest; /* The rest of a record that was sent in part; otherwise NULL. */
} talk;

static void must(bool condition, const char *what)
{
    if (!condition) {
        perror(what);
        exit(2);
    }
}

/* ---- Commands ---- */

static bool read_number(FILE *in, char type, unsigned *number)
{
    char line[32];

    return fgets(line, sizeof line, in) && line[0] == type && sscanf(line + 1, "%u", number) == 1;
}

static bool read_command(talk *it)
{
    if (!read_number(it->in, '*', &it->count)) {
        return false;
    }
    for (unsigned i = 0; i < it->count; i++) {
        char *word = it->words[i < WORDS_MAX ? i : WORDS_MAX - 1];
        unsigned length;

        if (!read_number(it->in, '$', &length) || length + 2 > WORD_BYTES ||
            fread(word, 1, length + 2, it->in) < length + 2) {
            return false;
        }
        word[length] = '\0';
    }
    return true;
}

static const char *last_word(const talk *it)
{
    return it->words[it->count < WORDS_MAX ? it->count - 1 : WORDS_MAX - 1];
}

static unsigned increment(talk *it)
{
    const char *number = strpbrk(it->words[1], "0123456789");

    return 1 + atomic_fetch_add(
                   &it->counts->executed[number ? strtoul(number, NULL, 10) % NODE_KEYS : 0], 1);
}

/*
 * As a Sentinel the node knows masters of any name. The name ends with the port of the master, ".",
 * and the port of the master's replica.
 */
static int answer_as_sentinel(talk *it)
{
    const char *about = strcasecmp(it->words[1], "GET-MASTER-ADDR-BY-NAME") == 0
                            ? "*2\r\n$9\r\n127.0.0.1\r\n$%zu\r\n%u\r\n"
                        : strcasecmp(it->words[1], "MASTER") == 0
                            ? "*2\r\n$12\r\nconfig-epoch\r\n$1\r\n7\r\n"
                            : "*1\r\n*6\r\n$2\r\nip\r\n$9\r\n127.0.0.1\r\n$5\r\nflags\r\n$5\r\n"
                              "slave\r\n$4\r\nport\r\n$%zu\r\n%u\r\n";
    const char *name = it->words[2];
    unsigned ports[2] = {0};

    sscanf(name + strcspn(name, "0123456789"), "%u.%u", &ports[0], &ports[1]);
    unsigned port = ports[strcasecmp(it->words[1], "REPLICAS") == 0];
    return snprintf(it->reply, REPLY_BYTES, about, (size_t)snprintf(NULL, 0, "%u", port), port);
}

/* ---- Keys that move ---- */

static atomic_uint *arrived; /* Shared by all nodes: see node_part. */

static void hold(const node_part *part)
{
    unsigned wanted = atomic_load(&part->holds_until);

    if (wanted > 0) {
        atomic_fetch_add(arrived, 1);
    }
    while (wanted > 0 && atomic_load(arrived) < wanted) {
        usleep(1000);
    }
}

/* Answers as a node of a ring that keys move from or to. 0 if the command is another one. */
static int answer_as_part(talk *it)
{
    static const char *const migrations[] = {[NODE_MIGRATES] = "+OK\r\n",
        [NODE_MIGRATE_FAILS] = "-IOERR error or timeout writing to target instance\r\n",
        [NODE_MIGRATE_IS_BUSY] = "-ERR Target instance replied with error: BUSYKEY\r\n"};
    const char *name = it->words[0];
    node_part *part = &it->counts->part;
    bool is_migrate = strcasecmp(name, "MIGRATE") == 0, is_get = strcasecmp(name, "GET") == 0;
    unsigned migrates = atomic_load(&part->migrates);

    if (is_migrate || is_get) {
        atomic_fetch_add(&part->questions, 1);
        hold(part);
    }
    if (is_migrate && migrates <= NODE_MIGRATE_IS_BUSY) {
        return snprintf(it->reply, REPLY_BYTES, "%s", migrations[migrates]);
    }
    if (is_get && atomic_load(&part->is_empty)) {
        return snprintf(it->reply, REPLY_BYTES, "$-1\r\n");
    }
    if (strcasecmp(name, "EXISTS") == 0 && atomic_load(&part->is_empty)) {
        return snprintf(it->reply, REPLY_BYTES, ":0\r\n");
    }
    if (strcasecmp(name, "DUMP") == 0) {
        atomic_fetch_add(&part->questions, 1);
        return snprintf(it->reply, REPLY_BYTES, "$4\r\ndump\r\n");
    }
    if (strcasecmp(name, "RESTORE") == 0 && strncmp(it->words[1], "full", 4) == 0) {
        return snprintf(it->reply, REPLY_BYTES, "-OOM out of memory\r\n");
    }
    return strcasecmp(name, "PTTL") == 0 ? snprintf(it->reply, REPLY_BYTES, ":-1\r\n") : 0;
}

static void execute(talk *it)
{
    const char *name = it->words[0], *word = it->words[1];
    int length = answer_as_part(it);

    if (length > 0) {
        it->length = (size_t)length;
        return;
    }
    if (strcasecmp(name, "INCR") == 0) {
        length = snprintf(it->reply, REPLY_BYTES, ":%u\r\n", increment(it));
    } else if (strcasecmp(name, "SUBSCRIBE") == 0) {
        length = snprintf(it->reply, REPLY_BYTES,
            "*3\r\n$9\r\nsubscribe\r\n$%zu\r\n%s\r\n:1\r\n*3\r\n$7\r\nmessage\r\n$%zu\r\n%s\r\n$"
            "5\r\nhello\r\n",
            strlen(word), word, strlen(word), word);
    } else if (strcasecmp(name, "ECHO") == 0 || strcasecmp(name, "GET") == 0) {
        length = snprintf(it->reply, REPLY_BYTES, "$%zu\r\n%s\r\n", strlen(word), word);
    } else if (strcasecmp(name, "EXISTS") == 0) {
        length = snprintf(it->reply, REPLY_BYTES, ":1\r\n");
    } else if (strcasecmp(name, "HLEN") == 0 || strcasecmp(name, "ZCARD") == 0 ||
               strcasecmp(name, "LLEN") == 0) {
        length = snprintf(it->reply, REPLY_BYTES, ":0\r\n");
    } else if (strcasecmp(name, "SENTINEL") == 0) {
        length = answer_as_sentinel(it);
    } else if (strcasecmp(name, "ROLE") == 0) {
        length = snprintf(it->reply, REPLY_BYTES, "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n");
    } else if (strcasecmp(name, "EXEC") == 0) {
        length = snprintf(it->reply, REPLY_BYTES, "*1\r\n+OK\r\n");
    } else if (strcasecmp(name, "AUTH") == 0 && strcmp(word, "wrong") == 0) {
        length = snprintf(it->reply, REPLY_BYTES, "-WRONGPASS invalid password\r\n");
    } else {
        length = snprintf(it->reply, REPLY_BYTES, "+OK\r\n");
    }
    it->length = (size_t)length;
}

/* ---- Manners of answering ---- */

static ssize_t say(const talk *it, const char *bytes, size_t length)
{
    return it->ssl ? SSL_write(it->ssl, bytes, (int)length)
                   : send(it->socket, bytes, length, MSG_NOSIGNAL);
}

static bool give(const talk *it, size_t length)
{
    for (size_t given = 0; given < length;) {
        ssize_t count = say(it, it->reply + given, length - given);

        if (count <= 0) {
            return false;
        }
        given += (size_t)count;
    }
    return true;
}

static bool drip(talk *it)
{
    for (size_t i = 0; i < it->length; i++) {
        if (say(it, it->reply + i, 1) != 1) {
            return false;
        }
        usleep(100);
    }
    return true;
}

/* While this is on, all that is sent goes into as few packets as possible. */
static void cork(const talk *it, int is_on)
{
    setsockopt(it->socket, IPPROTO_TCP, TCP_CORK, &is_on, sizeof is_on);
}

static void renew(const talk *it)
{
    cork(it, true);
    for (int i = 0; i < NODE_RENEWALS; i++) {
        SSL_key_update(it->ssl, SSL_KEY_UPDATE_NOT_REQUESTED);
        SSL_do_handshake(it->ssl);
    }
    cork(it, false);
}

static bool spoil(const talk *it)
{
    static const char record[NODE_SPOILT_BYTES] = {23, 3, 3, 0, NODE_SPOILT_BYTES - 5};

    cork(it, true);
    bool is_given = give(it, it->length) && send(it->socket, record, sizeof record, MSG_NOSIGNAL);
    cork(it, false);
    return is_given;
}

/* Sends what OpenSSL has written to memory, or the first `length` bytes of it. */
static bool pass_on(const talk *it, BIO *written, size_t length)
{
    char bytes[1024];
    int count = BIO_read(written, bytes, (int)(length < sizeof bytes ? length : sizeof bytes));

    return count > 0 && send(it->socket, bytes, (size_t)count, MSG_NOSIGNAL) == count;
}

/* Sends both in one packet, so that the client gets the part together with the reply. */
static bool give_part(talk *it, size_t length)
{
    BIO *socket = SSL_get_wbio(it->ssl);

    it->rest = BIO_new(BIO_s_mem());
    must(it->rest && BIO_up_ref(it->rest) && BIO_up_ref(socket), "BIO_new");
    SSL_set0_wbio(it->ssl, it->rest);
    give(it, it->length);
    length += BIO_ctrl_pending(it->rest);
    SSL_write(it->ssl, "$5\r\nwrong\r\n", 11);
    SSL_set0_wbio(it->ssl, socket);
    return pass_on(it, it->rest, length);
}

static bool give_rest(talk *it)
{
    bool is_given = pass_on(it, it->rest, SIZE_MAX);

    BIO_free(it->rest);
    it->rest = NULL;
    return is_given;
}

/* A node that is empty ignores the manner, which is meant for the old owner. */
static bool is_told(const talk *it, const char *manner)
{
    return strncmp(last_word(it), manner, strlen(manner)) == 0 &&
           !atomic_load(&it->counts->part.is_empty);
}

static bool ends_migrate(const talk *it, unsigned how)
{
    return strcasecmp(it->words[0], "MIGRATE") == 0 &&
           atomic_load(&it->counts->part.migrates) == how;
}

static bool hides_itself(const talk *it)
{
    return strcasecmp(it->words[0], "INFO") == 0 &&
           atomic_load(&it->counts->part.migrates) == NODE_MIGRATE_IS_BUSY;
}

/* Executes and answers a command. False if the connection is to be closed. */
static bool answer(talk *it)
{
    execute(it);
    if (it->rest && !give_rest(it)) {
        return false;
    }
    if (is_told(it, "part")) {
        return give_part(it, strtoul(last_word(it) + strlen("part:"), NULL, 10));
    }
    if (is_told(it, "spoil")) {
        return spoil(it);
    }
    if (is_told(it, "drip")) {
        return drip(it);
    }
    if (is_told(it, "half")) {
        give(it, it->length / 2);
        return false;
    }
    if (is_told(it, "close") || ends_migrate(it, NODE_MIGRATE_CLOSES) || hides_itself(it)) {
        return false;
    }
    if (is_told(it, "mute") || ends_migrate(it, NODE_MIGRATE_IS_MUTE)) {
        return true;
    }
    if (is_told(it, "renew")) {
        renew(it);
    }
    if (is_told(it, "noise")) {
        it->length = (size_t)snprintf(it->reply, REPLY_BYTES, "?what\r\n");
    } else if (is_told(it, "surplus")) {
        memcpy(it->reply + it->length, it->reply, it->length);
        it->length *= 2;
    }
    return give(it, it->length) && !is_told(it, "last");
}

static void *serve(void *connection)
{
    talk *it = connection;

    while (it->in && read_command(it) && answer(it)) {
    }
    if (it->in) {
        fclose(it->in);
    }
    BIO_free(it->rest);
    if (it->ssl) {
        SSL_free(it->ssl);
        close(it->socket);
    }
    free(it);
    return NULL;
}

/* ---- TLS ---- */

static SSL_CTX *context; /* NULL in a plain node. */

static ssize_t read_encrypted(void *ssl, char *bytes, size_t size)
{
    int count = SSL_read(ssl, bytes, size > INT_MAX ? INT_MAX : (int)size);

    return count > 0 ? count : 0;
}

/* The stream of a new connection; NULL if its handshake fails. */
static FILE *encrypt(talk *it)
{
    it->ssl = SSL_new(context);
    must(it->ssl && SSL_set_fd(it->ssl, it->socket) == 1, "SSL_new");
    return SSL_accept(it->ssl) == 1
               ? fopencookie(it->ssl, "r", (cookie_io_functions_t){.read = read_encrypted})
               : NULL;
}

static void *serve_encrypted(void *connection)
{
    talk *it = connection;

    it->in = encrypt(it);
    return serve(it);
}

static void make_context(const char *directory)
{
    char command[2 * PATH_MAX + 256], certificate[PATH_MAX], key[PATH_MAX];

    snprintf(certificate, sizeof certificate, "%s/node.crt", directory);
    snprintf(key, sizeof key, "%s/node.key", directory);
    snprintf(command, sizeof command,
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
        "-subj /CN=node -addext subjectAltName=IP:127.0.0.1 -out %s -keyout %s 2>%s/openssl.log",
        certificate, key, directory);
    must(system(command) == 0, "openssl");
    context = SSL_CTX_new(TLS_server_method());
    must(context && SSL_CTX_use_certificate_file(context, certificate, SSL_FILETYPE_PEM) == 1 &&
             SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1,
        "the certificate");
}

/* ---- The process ---- */

static int listen_somewhere(uint16_t *port, bool is_heard)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    must(listener >= 0 && bind(listener, (struct sockaddr *)&address, length) == 0, "bind");
    must(!is_heard || listen(listener, 64) == 0, "listen");
    must(getsockname(listener, (struct sockaddr *)&address, &length) == 0, "getsockname");
    *port = ntohs(address.sin_port);
    return listener;
}

static void accept_all(int listener, node_counts *counts)
{
    for (int socket; (socket = accept(listener, NULL, NULL)) >= 0;) {
        talk *it = malloc(sizeof *it);
        pthread_t thread;
        int one = 1;

        must(it != NULL, "malloc");
        setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        it->socket = socket;
        it->ssl = NULL;
        it->rest = NULL;
        it->in = context ? NULL : fdopen(socket, "r");
        it->counts = counts;
        atomic_fetch_add(&counts->connections, 1);
        must(pthread_create(&thread, NULL, context ? serve_encrypted : serve, it) == 0,
            "pthread_create");
        pthread_detach(thread);
    }
}

/* Memory of all zeros that the nodes started later have, too. */
static void *share(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    must(memory != MAP_FAILED, "mmap");
    return memory;
}

/* `directory` is NULL for a plain node. */
static node start(const char *directory)
{
    node it;
    int listener = listen_somewhere(&it.port, true);

    it.counts = share(sizeof *it.counts);
    arrived = arrived ? arrived : share(sizeof *arrived);
    if (directory) {
        make_context(directory);
    }
    it.pid = fork();
    must(it.pid >= 0, "fork");
    if (it.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGPIPE, SIG_IGN); /* SSL_write would raise it. */
        accept_all(listener, it.counts);
        _exit(0);
    }
    SSL_CTX_free(context);
    context = NULL;
    close(listener);
    return it;
}

node node_start(void)
{
    return start(NULL);
}

node node_start_encrypted(const char *directory)
{
    return start(directory);
}

void node_stop(node *it)
{
    kill(it->pid, SIGKILL);
    waitpid(it->pid, NULL, 0);
    munmap(it->counts, sizeof *it->counts);
}

void node_hold_again(void)
{
    atomic_store(arrived, 0);
}

/* The port stays bound as long as the program runs, so no other process gets it. */
uint16_t node_free_port(void)
{
    uint16_t port;

    listen_somewhere(&port, false);
    return port;
}
