/*
 * Where a command's words go, and how the answers of several nodes become those of one.
 *
 * A node that refuses (no permission, a command it does not know) refuses the whole command: its error is the answer,
 * nothing counts as subscribed, and what other nodes send for it is dropped.
 */
#include "php_onehop.h"

#include <poll.h>

#include "core/base/compiler.h"
#include "engine/base/environment.h"
#include "core/base/clock.h"

#include "engine/listener/listener_inside.h"
#include "engine/base/log.h"

/* ---- Life ---- */

oh_listener *oh_listener_open(oh_snapshot *snapshot, const oh_topology *topology, uint32_t timeout_ms, uint32_t patience_ms,
    oh_failure *failure)
{
    oh_listener *listener = ecalloc(1, sizeof *listener);

    listener->snapshot = snapshot;
    listener->topology = topology;
    listener->ears = ecalloc(snapshot->nodes_count, sizeof *listener->ears);
    listener->descriptors = ecalloc(snapshot->nodes_count, sizeof *listener->descriptors);
    for (int i = 0; i < OH_CHANNEL_KINDS_COUNT; i++) {
        zend_hash_init(&listener->subscribed[i], 0, NULL, ZVAL_PTR_DTOR, false);
    }
    ZVAL_UNDEF(&listener->released);
    listener->timeout_ms = timeout_ms;
    listener->patience_ms = patience_ms;
    listener->failure = failure;
    return listener;
}

static void drop_first(oh_listener *listener)
{
    oh_message *message = listener->first;

    listener->first = message->next;
    listener->given = 0;
    oh_call_release(message);
}

static void close_ears(oh_listener *listener)
{
    for (uint32_t node = 0; node < listener->snapshot->nodes_count; node++) {
        oh_ear_close(&listener->ears[node]);
    }
}

void oh_listener_close(oh_listener *listener)
{
    close_ears(listener);
    while (listener->first) {
        drop_first(listener);
    }
    for (int i = 0; i < OH_CHANNEL_KINDS_COUNT; i++) {
        zend_hash_destroy(&listener->subscribed[i]);
    }
    zval_ptr_dtor(&listener->released);
    smart_str_free(&listener->answer);
    oh_call_release(listener->ears);
    oh_call_release(listener->descriptors);
    oh_call_release(listener);
}

/* The connections go at once: until somebody looks, nodes would fill them in vain. */
void oh_listener_fail(oh_listener *listener, uint32_t node)
{
    listener->has_failed = true;
    listener->failed_node = node;
    for (uint32_t i = 0; i < listener->snapshot->nodes_count; i++) {
        if (listener->ears[i].connection) {
            oh_pool_poison(listener->ears[i].connection);
            listener->ears[i].connection = NULL;
        }
    }
}

bool oh_listener_is_idle(const oh_listener *listener)
{
    for (int i = 0; i < OH_CHANNEL_KINDS_COUNT; i++) {
        if (zend_hash_num_elements(&listener->subscribed[i])) {
            return false;
        }
    }
    return true;
}

/* ---- What nodes send ---- */

static void keep_message(oh_listener *listener, const char *bytes, size_t length)
{
    oh_message *message = emalloc(sizeof *message + length);

    message->next = NULL;
    message->length = length;
    memcpy(message->bytes, bytes, length);
    if (listener->first) {
        listener->last->next = message;
    } else {
        listener->first = message;
    }
    listener->last = message;
}

void oh_listener_take(oh_listener *listener, uint32_t node, const char *bytes, size_t length)
{
    oh_ear *ear = &listener->ears[node];
    oh_text name;
    const oh_verb *verb = oh_text_confirmed(bytes, length, &name);

    if (ear->unconfirmed && *bytes == '-') {
        if (listener->snapshot->cluster && oh_listener_is_sent_away(listener, node, bytes, length)) {
            return;
        }
        ear->unconfirmed = 0;
        if (!listener->is_refused) {
            listener->is_refused = true;
            smart_str_appendl(&listener->answer, bytes, length);
        }
    } else if (!verb) {
        keep_message(listener, bytes, length);
    } else if (ear->unconfirmed && verb == listener->said) {
        ear->unconfirmed--;
    } else if (listener->snapshot->cluster) {
        oh_listener_lose_slot(listener, node, name);
    }
}

/* ---- Where words go ---- */

typedef struct oh_said {
    const oh_verb *verb;
    oh_text *words;
    uint32_t *nodes; /* Of each word; patterns have none. */
    uint32_t count;
} oh_said;

static void free_said(oh_said *said)
{
    if (said->words) {
        oh_call_release(said->words);
        oh_call_release(said->nodes);
    }
}

/* Reads the command that phpredis has written. */
static bool read_said(oh_said *said, const char *bytes, size_t length)
{
    const char *at = bytes, *end = bytes + length;
    uint32_t count;
    oh_text name;

    if (!oh_text_count(&at, end, &count) || count < 2 || !oh_text_next(&at, end, &name) ||
        !(said->verb = oh_text_verb(name))) {
        return false;
    }
    said->words = safe_emalloc(count, sizeof *said->words, 0);
    said->nodes = safe_emalloc(count, sizeof *said->nodes, 0);
    while (said->count < count - 1 && oh_text_next(&at, end, &said->words[said->count])) {
        said->count++;
    }
    return said->count == count - 1 && at == end;
}

/* Who has never been told to subscribe needs not be told to unsubscribe. */
static bool concerns(const oh_said *said, const oh_ear *ear)
{
    return said->verb->is_beginning || ear->connection;
}

/* Of a Redis Cluster each node passes on what is published on any: one hears it all. */
static bool hears_patterns(const oh_snapshot *snapshot, uint32_t node)
{
    return !snapshot->cluster || node == oh_snapshot_next(snapshot, snapshot->nodes_count - 1);
}

static void count_words(oh_listener *listener, oh_said *said)
{
    bool is_everywhere = said->verb->kind == OH_PATTERN;

    for (uint32_t node = 0; node < listener->snapshot->nodes_count; node++) {
        bool is_meant = is_everywhere && hears_patterns(listener->snapshot, node);

        listener->ears[node].words = is_meant && concerns(said, &listener->ears[node]) ? said->count : 0;
    }
    for (uint32_t i = 0; i < said->count && !is_everywhere; i++) {
        said->nodes[i] = oh_topology_locate(listener->topology, (const uint8_t *)said->words[i].bytes, said->words[i].length);
        listener->ears[said->nodes[i]].words += concerns(said, &listener->ears[said->nodes[i]]);
    }
}

static void write_requests(oh_listener *listener, const oh_said *said)
{
    for (uint32_t node = 0; node < listener->snapshot->nodes_count; node++) {
        oh_ear *ear = &listener->ears[node];

        smart_str_free(&ear->request);
        ear->unconfirmed = ear->words;
        if (ear->words) {
            oh_text_begin(&ear->request, said->verb, ear->words);
        }
        for (uint32_t i = 0; i < ear->words && said->verb->kind == OH_PATTERN; i++) {
            oh_text_append(&ear->request, said->words[i]);
        }
    }
    for (uint32_t i = 0; i < said->count && said->verb->kind != OH_PATTERN; i++) {
        oh_ear *ear = &listener->ears[said->nodes[i]];

        if (ear->words) {
            oh_text_append(&ear->request, said->words[i]);
        }
    }
}

/* ---- Saying ---- */

/* The first node that has not confirmed everything, or nodes_count. */
static uint32_t first_unconfirmed(const oh_listener *listener)
{
    uint32_t node = 0;

    while (node < listener->snapshot->nodes_count && !listener->ears[node].unconfirmed) {
        node++;
    }
    return node;
}

static bool await_confirmations(oh_listener *listener)
{
    uint64_t until_ns =
        listener->timeout_ms ? oh_clock_now_ns() + (uint64_t)listener->timeout_ms * 1000000 : 0;
    uint32_t node;

    while ((node = first_unconfirmed(listener)) < listener->snapshot->nodes_count) {
        if (until_ns && oh_clock_now_ns() >= until_ns) {
            bool is_told = listener->ears[node].is_told;

            oh_failure_set(listener->failure, OH_ERROR_DEADLINE_EXCEEDED,
                is_told ? OH_OUTCOME_MAYBE_EXECUTED : OH_OUTCOME_NOT_SENT, "try again", "%s within %u ms",
                is_told ? "Subscription not confirmed" : "No connection", (unsigned)listener->timeout_ms);
            oh_listener_fail(listener, node);
            return false;
        }
        /* Should a node fail right behind its confirmation, then what it said in between is still worth hearing. */
        if (!oh_ears_wait(listener, until_ns) && first_unconfirmed(listener) < listener->snapshot->nodes_count) {
            return false;
        }
    }
    return true;
}

/* As one server counts: shard channels apart, all others together. */
static uint32_t subscribed_count(const oh_listener *listener, oh_channel_kind kind)
{
    if (kind == OH_SHARD_CHANNEL) {
        return zend_hash_num_elements(&listener->subscribed[OH_SHARD_CHANNEL]);
    }
    return zend_hash_num_elements(&listener->subscribed[OH_CHANNEL]) +
           zend_hash_num_elements(&listener->subscribed[OH_PATTERN]);
}

/* Without running a destructor of the script now. */
static void release_callback(oh_listener *listener, const zval *callback)
{
    zval kept;

    if (Z_ISUNDEF(listener->released)) {
        array_init(&listener->released);
    }
    ZVAL_COPY(&kept, callback);
    add_next_index_zval(&listener->released, &kept);
}

static void confirm_word(oh_listener *listener, const oh_verb *verb, oh_text word)
{
    HashTable *subscribed = &listener->subscribed[verb->kind];
    const zval *old = zend_hash_str_find(subscribed, word.bytes, word.length);
    zval callback;

    if (old) {
        release_callback(listener, old);
    }
    if (!verb->is_beginning) {
        zend_hash_str_del(subscribed, word.bytes, word.length);
        return;
    }
    ZVAL_NULL(&callback);
    if (listener->callback) {
        ZVAL_COPY(&callback, listener->callback);
    }
    zend_hash_str_update(subscribed, word.bytes, word.length, &callback);
}

static void confirm(oh_listener *listener, const oh_said *said)
{
    for (uint32_t i = 0; i < said->count; i++) {
        confirm_word(listener, said->verb, said->words[i]);
        oh_text_confirm(&listener->answer, said->verb, said->words[i],
            subscribed_count(listener, said->verb->kind));
    }
}

static bool tell_all(oh_listener *listener)
{
    for (uint32_t node = 0; node < listener->snapshot->nodes_count; node++) {
        if (listener->ears[node].words && !oh_ear_tell(listener, node)) {
            return false;
        }
    }
    return true;
}

void oh_listener_say(oh_listener *listener, const char *bytes, size_t length)
{
    oh_said said = {0};

    smart_str_free(&listener->answer);
    listener->answer_given = 0;
    listener->is_refused = false;
    if (listener->has_failed) {
        return;
    }
    if (read_said(&said, bytes, length)) {
        listener->said = said.verb;
        count_words(listener, &said);
        write_requests(listener, &said);
        if (tell_all(listener) && await_confirmations(listener) && !listener->is_refused) {
            confirm(listener, &said);
        }
    } else {
        oh_failure_set(listener->failure, OH_ERROR_UNSUPPORTED, OH_OUTCOME_NOT_SENT, "report this as a bug",
            "phpredis wrote something that is no subscription");
        oh_listener_fail(listener, 0);
    }
    free_said(&said);
}

/* ---- Hearing ---- */

static bool has_wanted_message(oh_listener *listener)
{
    while (listener->first && !listener->given && !oh_text_is_wanted(listener, listener->first)) {
        drop_first(listener);
    }
    return listener->first != NULL;
}

static bool await_message(oh_listener *listener)
{
    uint64_t until_ns =
        listener->patience_ms ? oh_clock_now_ns() + (uint64_t)listener->patience_ms * 1000000 : 0;

    while (!has_wanted_message(listener)) {
        if (oh_listener_is_idle(listener) || listener->has_failed || oh_surroundings.is_ending()) {
            return false;
        }
        if (until_ns && oh_clock_now_ns() >= until_ns) {
            oh_failure_set(listener->failure, OH_ERROR_DEADLINE_EXCEEDED, OH_OUTCOME_ANSWERED,
                "subscribe again, or set no OPT_READ_TIMEOUT", "No message within %u ms",
                (unsigned)listener->patience_ms);
            oh_listener_fail(listener, OH_NO_NODE);
            return false;
        }
        uint64_t next_ns = listener->snapshot->cluster ? oh_listener_look_at_map(listener, until_ns) : until_ns;
        if (!listener->has_failed) {
            oh_ears_wait(listener, next_ns);
        }
        oh_log_flush();
    }
    return true;
}

size_t oh_listener_hear(oh_listener *listener, char *bytes, size_t size)
{
    const char *from;
    size_t left;

    if (listener->answer.s && listener->answer_given < ZSTR_LEN(listener->answer.s)) {
        left = ZSTR_LEN(listener->answer.s) - listener->answer_given;
        from = ZSTR_VAL(listener->answer.s) + listener->answer_given;
        size = OH_MIN(size, left);
        listener->answer_given += size;
        memcpy(bytes, from, size);
        return size;
    }
    if (oh_surroundings.is_ending() || !await_message(listener)) {
        return 0;
    }
    left = listener->first->length - listener->given;
    size = OH_MIN(size, left);
    memcpy(bytes, listener->first->bytes + listener->given, size);
    listener->given += size;
    if (size == left) {
        drop_first(listener);
    }
    return size;
}
