/*
 * Wraps the engine's functions for the tests. get.c shows in which order a program calls them.
 */
#include "caller.h"

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "core/resp/wire.h"
#include "engine/base/environment.h"
#include "engine/base/log.h"
#include "engine/resend/resend.h"
#include "engine/shared/queue.h"
#include "engine/shared/resolver.h"
#include "engine/shared/segment.h"

#include "tests-core/check.h"
#include "node.h"

static char path[PATH_MAX];
static unsigned warnings;

static void note_warning(const char *text)
{
    (void)text;
    warnings++;
}

static void note_announcement(int severity, const char *text)
{
    (void)text;
    warnings += severity == LOG_WARNING;
}

static void note_line(int severity, const char *text)
{
    (void)severity;
    (void)text;
}

void caller_live_in(const char *directory)
{
    snprintf(path, sizeof path, "%s/nutcracker.yml", directory);
    oh_surroundings.warn = note_warning;
    oh_surroundings.announce = note_announcement;
    oh_surroundings.log = note_line;
}

unsigned caller_warnings(void)
{
    unsigned count = warnings;

    warnings = 0;
    return count;
}

unsigned caller_number(void)
{
    static unsigned last;

    return last = (last + 1) % NODE_KEYS;
}

void caller_configure(const char *format, ...)
{
    int file = creat(path, 0644);
    va_list arguments;

    va_start(arguments, format);
    vdprintf(file, format, arguments);
    va_end(arguments);
    close(file);
}

oh_snapshot *caller_open(const char *pool, oh_failure *failure)
{
    bool is_found;

    return oh_source_load((oh_text){pool, strlen(pool)}, path, failure, &is_found);
}

size_t caller_write(char *request, size_t length, const char *command)
{
    size_t words = 1;

    for (const char *at = command; (at = strchr(at, ' ')); at++) {
        words++;
    }
    length += (size_t)sprintf(request + length, "*%zu\r\n", words);
    for (const char *word = command; words > 0; words--) {
        size_t bytes = strcspn(word, " ");

        length += (size_t)sprintf(request + length, "$%zu\r\n%.*s\r\n", bytes, (int)bytes, word);
        word += bytes + 1;
    }
    return length;
}

bool caller_begin(caller *it, oh_snapshot *snapshot, uint32_t number)
{
    memset(it, 0, sizeof *it);
    oh_exchange_make(&it->exchange,
        (oh_peer){.connections = oh_snapshot_connections(snapshot, number),
            .metered = oh_snapshot_metered(snapshot, number),
            .is_of_plain_pool = !snapshot->is_cluster},
        &it->failure);
    if (snapshot->is_cluster && !oh_redirects_attach(&it->exchange, snapshot, number)) {
        oh_failure_set_no_memory(&it->failure, OH_OUTCOME_NOT_SENT);
        return false;
    }
    return true;
}

bool caller_read(caller *it, const char *request, size_t length)
{
    oh_wire wire;
    char bytes[CALLER_REPLY_BYTES];
    size_t count = 1;

    oh_wire_reset(&wire);
    CHECK(oh_wire_wrote(&wire, (const uint8_t *)request, length));
    it->length = 0;
    while (oh_wire_owed(&wire) > 0 &&
           (count = oh_exchange_read(&it->exchange, bytes, sizeof bytes)) > 0) {
        CHECK(oh_wire_read(&wire, (const uint8_t *)bytes, count) == count);
        if (it->length < sizeof it->reply) {
            memcpy(it->reply + it->length, bytes, OH_MIN(count, sizeof it->reply - it->length));
        }
        it->length += count;
    }
    it->reply[OH_MIN(it->length, sizeof it->reply - 1)] = '\0';
    return count > 0;
}

bool caller_send(caller *it, const char *request, size_t length, const oh_call_terms *terms)
{
    oh_exchange_prepare(&it->exchange, terms, NULL);
    return oh_exchange_run(&it->exchange, request, length) && caller_read(it, request, length);
}

bool caller_ask(caller *it, const char *command, const oh_call_terms *terms)
{
    char request[1024];

    return caller_send(it, request, caller_write(request, 0, command), terms);
}

void caller_end(caller *it)
{
    oh_exchange_finish(&it->exchange);
    oh_exchange_end(&it->exchange);
}

bool caller_gets(oh_snapshot *snapshot, uint32_t number, const char *command, const char *reply,
    oh_failure *failure)
{
    bool is_read_only = strncmp(command, "INCR ", 5) != 0;
    oh_call_terms terms = {.timeout_ms = snapshot->pool->timeout_ms, .is_read_only = is_read_only};
    caller it;
    bool is_answered = caller_begin(&it, snapshot, number) && caller_ask(&it, command, &terms);

    if (is_answered) {
        CHECK(strcmp(it.reply, reply) == 0);
    } else {
        *failure = it.failure;
    }
    caller_end(&it);
    return is_answered;
}

void caller_leave(void)
{
    oh_source_shutdown();
    oh_pool_end();
    oh_resolver_end();
    oh_queue_shutdown();
    oh_segment_shutdown();
    oh_log_shutdown();
}
