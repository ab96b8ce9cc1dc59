/*
 * Promise: the form that a request promises for its replies, where phpredis relies on it and would
 * crash.
 *
 * phpredis reads the reply of hMGet() into as many places as the call has fields. It reads the
 * replies of xRange(), xRead() and similar methods without checking the form of their entries. So
 * replies of another form end the process, although they are well-formed. Therefore these methods
 * have a promise: the exchange gathers the replies, and fails unless the promise holds, before
 * phpredis reads a byte. All other methods survive every well-formed reply.
 *
 * Implements spec/route, "Replies that end the process".
 *
 * The commands are as phpredis writes them, so their names are in capital letters.
 */
#include "php/base/zend.h"

#include "php/phpredis/method.h"

/* Stands for a queued command that promises nothing. */
#define PASSED_OVER "*1\r\n$1\r\n-\r\n"

/* ---- One reply ---- */

/*
 * Each function takes a reply that has the form below. It also takes a reply that is not a list,
 * because phpredis itself refuses such a reply. For any other reply the function returns false.
 */

static bool is_list_next(const oh_values *values)
{
    return values->at < values->end && *values->at == OH_RESP_LIST;
}

/* Takes one value that is not a list. */
static bool take_flat(oh_values *values)
{
    return !is_list_next(values) && oh_value_skip(values);
}

/* Takes a list with as many elements as the command has fields. */
static bool take_fields(oh_values *values, size_t words_count)
{
    oh_values head = *values;
    int64_t count;
    bool is_list = oh_value_take_head(&head, OH_RESP_LIST, &count);

    return (!is_list || count == (int64_t)words_count - 2) && oh_value_skip(values);
}

/* Takes an entry: an ID and a flat list. */
static bool take_entry(oh_values *values)
{
    int64_t count;
    oh_text id;

    if (!oh_value_take_head(values, OH_RESP_LIST, &count) || count != 2 ||
        !oh_value_take_text(values, &id)) {
        return false;
    }
    if (!is_list_next(values)) {
        return oh_value_skip(values);
    }
    oh_value_take_head(values, OH_RESP_LIST, &count);
    for (; count > 0; count--) {
        if (!take_flat(values)) {
            return false;
        }
    }
    return true;
}

static bool take_entries(oh_values *values)
{
    int64_t count;

    if (!oh_value_take_head(values, OH_RESP_LIST, &count)) {
        return oh_value_skip(values);
    }
    for (; count > 0; count--) {
        if (!take_entry(values)) {
            return false;
        }
    }
    return true;
}

/* Takes a list of entries, or a list of IDs and nils. */
static bool take_claims(oh_values *values)
{
    oh_values first = *values;
    int64_t count;

    if (!oh_value_take_head(&first, OH_RESP_LIST, &count) || is_list_next(&first)) {
        return take_entries(values);
    }
    for (*values = first; count > 0; count--) {
        if (!take_flat(values)) {
            return false;
        }
    }
    return true;
}

/* Takes a list of names, each with entries. */
static bool take_streams(oh_values *values)
{
    int64_t count, pair;
    oh_text name;

    if (!oh_value_take_head(values, OH_RESP_LIST, &count)) {
        return oh_value_skip(values);
    }
    for (; count > 0; count--) {
        if (!oh_value_take_head(values, OH_RESP_LIST, &pair) || pair != 2 ||
            !oh_value_take_text(values, &name) || !take_entries(values)) {
            return false;
        }
    }
    return true;
}

/* Takes a value that is neither a list nor an error nor nil. */
static bool take_plain(oh_values *values)
{
    oh_value value;

    return oh_value_take(values, &value) &&
           (value.kind == OH_VALUE_TEXT || value.kind == OH_VALUE_NUMBER);
}

/*
 * Takes a flat list in which every second element is a plain value: the second, fourth ..., or with
 * `begins_plain` the first, third ...
 */
static bool take_pairs(oh_values *values, bool begins_plain)
{
    int64_t count;
    bool is_plain = begins_plain;

    if (!oh_value_take_head(values, OH_RESP_LIST, &count)) {
        return oh_value_skip(values);
    }
    for (; count > 0; count--, is_plain = !is_plain) {
        if (!(is_plain ? take_plain(values) : take_flat(values))) {
            return false;
        }
    }
    return true;
}

static bool is_among(oh_bytes name, const char *const *names)
{
    while (*names && !oh_bytes_is(name, *names)) {
        names++;
    }
    return *names != NULL;
}

static bool take_promised(oh_bytes name, size_t words_count, oh_values *replies)
{
    static const char *const entries[] = {"XRANGE", "XREVRANGE", NULL},
                             *const streams[] = {"XREAD", "XREADGROUP", NULL},
                             *const scores[] = {"ZRANGE", "ZREVRANGE", "ZRANGEBYSCORE",
                                 "ZREVRANGEBYSCORE", "ZPOPMIN", "ZPOPMAX", "PUBSUB", NULL};

    if (oh_bytes_is(name, "HMGET")) {
        return take_fields(replies, words_count);
    }
    if (oh_bytes_is(name, "HGETALL")) {
        return take_pairs(replies, true);
    }
    if (is_among(name, scores)) {
        return take_pairs(replies, false);
    }
    if (is_among(name, entries)) {
        return take_entries(replies);
    }
    if (is_among(name, streams)) {
        return take_streams(replies);
    }
    return oh_bytes_is(name, "XCLAIM") ? take_claims(replies) : oh_value_skip(replies);
}

/* Takes a command and its reply. False if the reply breaks the promise of the command. */
static bool take_kept(oh_values *commands, oh_values *replies)
{
    oh_values words = *commands;
    size_t count;
    oh_bytes name;

    return oh_value_take_command(&words, &count) && oh_value_take_word(&words, &name) &&
           oh_value_skip_command(commands) && take_promised(name, count, replies);
}

/* ---- All replies ---- */

static bool is_next(oh_values commands, const char *name)
{
    size_t count;
    oh_bytes word;

    return oh_value_take_command(&commands, &count) && oh_value_take_word(&commands, &word) &&
           oh_bytes_is(word, name);
}

/* Takes the reply of EXEC after these commands. */
static bool take_exec(oh_values queued, oh_values *replies)
{
    oh_values reply = *replies;
    int64_t count;

    if (!oh_value_take_head(&reply, OH_RESP_LIST, &count)) {
        return oh_value_skip(replies);
    }
    for (; count > 0 && queued.at < queued.end; count--) {
        if (!take_kept(&queued, &reply)) {
            return false;
        }
    }
    return oh_value_skip(replies);
}

bool oh_promise_is_kept(oh_values commands, oh_values replies)
{
    oh_values queued = {NULL, NULL};

    while (commands.at < commands.end && replies.at < replies.end) {
        bool is_multi = is_next(commands, "MULTI"), is_exec = is_next(commands, "EXEC");

        if (!queued.at && !is_multi) {
            if (!take_kept(&commands, &replies)) {
                return false;
            }
            continue;
        }
        const uint8_t *end = commands.at;

        if (!oh_value_skip_command(&commands)) {
            return false;
        }
        if (is_multi) {
            queued = commands;
        } else if (is_exec || is_next((oh_values){end, commands.at}, "DISCARD")) {
            queued.end = end;
            if (is_exec && !take_exec(queued, &replies)) {
                return false;
            }
            queued.at = NULL;
            if (is_exec) {
                continue;
            }
        }
        if (!oh_value_skip(&replies)) {
            return false;
        }
    }
    return true;
}

static bool request_holds(const oh_promise *promise, oh_bytes request, oh_bytes replies)
{
    return oh_promise_is_kept(
        oh_values_of(request.bytes, request.length), oh_values_of(replies.bytes, replies.length));
}

const oh_promise oh_promise_of_request = {request_holds};

/* ---- Queued one by one ---- */

static bool note(const oh_promise *promise, oh_bytes request, oh_bytes replies)
{
    oh_queued_promise *queued =
        (oh_queued_promise *)((char *)promise - offsetof(oh_queued_promise, of_command));

    if (oh_bytes_is(replies, "+QUEUED\r\n")) {
        for (; queued->count < *queued->place; queued->count++) {
            smart_str_appends(&queued->commands, PASSED_OVER);
        }
        smart_str_appendl(&queued->commands, (const char *)request.bytes, request.length);
        queued->count++;
    }
    return true;
}

static bool exec_holds(const oh_promise *promise, oh_bytes request, oh_bytes replies)
{
    const oh_queued_promise *queued =
        (const oh_queued_promise *)((const char *)promise - offsetof(oh_queued_promise, of_exec));
    oh_values reply = oh_values_of(replies.bytes, replies.length);
    const zend_string *commands = queued->commands.s;

    return !commands || take_exec(oh_values_of(ZSTR_VAL(commands), ZSTR_LEN(commands)), &reply);
}

void oh_queued_promise_begin(oh_queued_promise *queued, const uint32_t *place)
{
    *queued = (oh_queued_promise){.of_command = {note}, .of_exec = {exec_holds}, .place = place};
}

void oh_queued_promise_end(oh_queued_promise *queued)
{
    smart_str_free(&queued->commands);
}
