/*
 * Translation. A request is read command by command, and each command is compared with the forms of
 * its name until one matches. The request is copied only if one of its commands changes.
 */
#include "core/ssdb/ssdb.h"

#include <string.h>

#include "core/base/memory.h"
#include "core/resp/value.h"
#include "core/resp/write.h"
#include "core/ssdb/ssdb_form.h"

#define KEPT_BYTES_MAX 65536 /* A larger buffer is not kept for the next request. */

static const char *const no_memory = "There is no memory left for what SSDB must be sent.";

/* ---- Memory that grows ---- */

/* Room for `more` items of a size. NULL if there is no memory; the old content stays. */
static void *grow(oh_ssdb_memory *memory, size_t more, size_t size)
{
    if (more > SIZE_MAX / 4 / size - memory->count) {
        return NULL;
    }
    if (memory->count + more > memory->capacity) {
        size_t capacity = (memory->count + more) * 2;
        void *items = oh_memory_allocate(capacity * size);

        if (!items) {
            return NULL;
        }
        if (memory->count > 0) {
            memcpy(items, memory->items, memory->count * size);
        }
        oh_memory_release(memory->items);
        memory->items = items;
        memory->capacity = capacity;
    }
    return (char *)memory->items + memory->count * size;
}

static void empty(oh_ssdb_memory *memory, size_t size)
{
    memory->count = 0;
    if (memory->capacity > KEPT_BYTES_MAX / size) {
        oh_memory_release(memory->items);
        memory->items = NULL;
        memory->capacity = 0;
    }
}

/* ---- Reading the request ---- */

/*
 * Reads the words of the command that begins at `at`. Returns where it ends, or 0 if it is not a
 * command or there is no memory.
 */
static size_t read_words(oh_ssdb *ssdb, const uint8_t *request, size_t length, size_t at)
{
    oh_values values = oh_values_of(request + at, length - at);
    size_t count;

    ssdb->words.count = 0;
    ssdb->refusal = "What was written is not a command.";
    if (!oh_value_take_command(&values, &count)) {
        return 0;
    }
    oh_bytes *words = grow(&ssdb->words, count, sizeof *words);
    if (!words) {
        ssdb->refusal = no_memory;
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        if (!oh_value_take_word(&values, &words[i])) {
            return 0;
        }
    }
    ssdb->words.count = count;
    ssdb->refusal = NULL;
    return (size_t)(values.at - request);
}

/* ---- Writing what is sent ---- */

static bool append(void *to, const void *bytes, size_t length)
{
    oh_ssdb *ssdb = to;
    uint8_t *end = length > 0 ? grow(&ssdb->sent, length, 1) : NULL;

    if (length == 0) {
        return true;
    }
    if (!end) {
        ssdb->refusal = no_memory;
        return false;
    }
    memcpy(end, bytes, length);
    ssdb->sent.count += length;
    return true;
}

static oh_resp_sink sent(oh_ssdb *ssdb)
{
    return (oh_resp_sink){append, ssdb};
}

static bool put_typed(oh_ssdb *ssdb, char letter, oh_bytes word)
{
    int64_t number;

    if (letter == 's') {
        return oh_resp_put_digits(sent(ssdb), oh_ssdb_score(word));
    }
    if (letter == 'l' && word.bytes[0] == '-') {
        return oh_resp_put_text(sent(ssdb), "2000000000");
    }
    if (!oh_ssdb_is_bound(letter)) {
        return oh_resp_put_word(sent(ssdb), word);
    }
    if (oh_ssdb_bound_of(word, oh_ssdb_is_low(letter), &number) == OH_SSDB_BOUND_AT) {
        return oh_resp_put_digits(sent(ssdb), number);
    }
    return oh_resp_put_text(sent(ssdb), letter == '(' ? "-inf" : letter == ')' ? "+inf" : "");
}

/* Writes the form, each word as its type says. */
static bool put_form(oh_ssdb *ssdb, const oh_ssdb_form *form, const oh_bytes *words, size_t count)
{
    bool is_put = oh_resp_put_list(sent(ssdb), count) && oh_resp_put_word(sent(ssdb), words[0]);

    for (size_t i = 1; is_put && i < count; i++) {
        is_put = put_typed(ssdb, oh_ssdb_letter(form, i), words[i]);
    }
    return is_put;
}

static bool put_send(oh_ssdb *ssdb, const oh_ssdb_form *form, const oh_bytes *words, size_t count)
{
    const oh_ssdb_send *send = form->sends;
    size_t fixed = strlen(form->fixed), places = strlen(send->places);
    bool is_put = oh_resp_put_list(sent(ssdb), 1 + places + count - 1 - fixed) &&
                  oh_resp_put_text(sent(ssdb), send->name);

    for (size_t i = 0; is_put && i < places; i++) {
        oh_bytes word = words[send->places[i] - '0'];

        is_put = oh_resp_put_word(sent(ssdb), word);
    }
    for (size_t i = 1 + fixed; is_put && i < count; i++) {
        is_put = oh_resp_put_word(sent(ssdb), words[i]);
    }
    return is_put;
}

/* Writes several commands for each key. */
static bool put_each(oh_ssdb *ssdb, const oh_ssdb_form *form, const oh_bytes *words, size_t count)
{
    bool is_put = true;

    for (size_t i = 1; is_put && i < count; i++) {
        for (size_t j = 0; is_put && j < form->sends_count; j++) {
            is_put = oh_resp_put_list(sent(ssdb), 2) &&
                     oh_resp_put_text(sent(ssdb), form->sends[j].name) &&
                     oh_resp_put_word(sent(ssdb), words[i]);
        }
    }
    return is_put;
}

/* ---- One command ---- */

static bool add_shape(oh_ssdb *ssdb, const oh_ssdb_form *form, size_t replies)
{
    oh_ssdb_shape *shapes = ssdb->shapes.items;

    if (!form && ssdb->shapes.count > 0 && !shapes[ssdb->shapes.count - 1].form) {
        shapes[ssdb->shapes.count - 1].replies += replies;
        return true;
    }
    oh_ssdb_shape *shape = grow(&ssdb->shapes, 1, sizeof *shape);
    if (!shape) {
        ssdb->refusal = no_memory;
        return false;
    }
    *shape = (oh_ssdb_shape){form, replies};
    ssdb->shapes.count++;
    ssdb->is_shaped |= form != NULL;
    return true;
}

/* True if nothing can lie between the bounds. */
static bool is_crossed(const oh_ssdb_form *form, const oh_bytes *words)
{
    int64_t low = INT64_MIN, high = INT64_MAX;

    if (form->empty == OH_SSDB_EMPTY_NEVER) {
        return false;
    }
    for (size_t i = 0; form->fixed[i]; i++) {
        bool is_low = oh_ssdb_is_low(form->fixed[i]);

        if (oh_ssdb_is_bound(form->fixed[i]) &&
            oh_ssdb_bound_of(words[i + 1], is_low, is_low ? &low : &high) ==
                OH_SSDB_BOUND_NOTHING) {
            return true;
        }
    }
    return low > high;
}

static bool is_rewritten(const oh_ssdb_form *form)
{
    return form->sends_count > 0 || strpbrk(form->fixed, "sl<>()") || strchr(form->tail, 's');
}

static bool translate_one(
    oh_ssdb *ssdb, const uint8_t *request, size_t begin, size_t end, bool is_raw)
{
    const oh_bytes *words = ssdb->words.items;
    size_t count = ssdb->words.count;
    const oh_ssdb_name *name = oh_ssdb_find(words[0]);

    if (name && !name->reason) {
        return add_shape(ssdb, NULL, 1);
    }
    const oh_ssdb_form *form = name ? oh_ssdb_match(name, words, count, is_raw) : NULL;
    if (!form) {
        ssdb->refusal = name ? oh_ssdb_reason(name, words, count) : "SSDB has no such command.";
        ssdb->command = words[0];
        return false;
    }
    if (!is_rewritten(form)) {
        return add_shape(ssdb, NULL, 1);
    }
    if (!append(ssdb, request + ssdb->kept, begin - ssdb->kept)) {
        return false;
    }
    ssdb->kept = end;
    if (is_crossed(form, words)) {
        return add_shape(ssdb, form, 0);
    }
    if (form->sends_count > 1) {
        return put_each(ssdb, form, words, count) &&
               add_shape(ssdb, form, (count - 1) * form->sends_count);
    }
    return (form->sends_count ? put_send(ssdb, form, words, count)
                              : put_form(ssdb, form, words, count)) &&
           add_shape(ssdb, form->reply == OH_SSDB_AS_IS ? NULL : form, 1);
}

/* ---- The request ---- */

static void begin(oh_ssdb *ssdb)
{
    empty(&ssdb->sent, 1);
    empty(&ssdb->words, sizeof(oh_bytes));
    empty(&ssdb->shapes, sizeof(oh_ssdb_shape));
    ssdb->refusal = NULL;
    ssdb->is_shaped = ssdb->is_broken = ssdb->is_shape_begun = false;
    ssdb->state = 0;
    ssdb->kept = ssdb->shape = ssdb->pending_begin = ssdb->pending_end = 0;
}

bool oh_ssdb_translate(oh_ssdb *ssdb, const uint8_t *request, size_t length, bool is_raw)
{
    size_t at = 0;

    begin(ssdb);
    while (at < length) {
        size_t end = read_words(ssdb, request, length, at);

        if (end == 0) {
            ssdb->command = (oh_bytes){NULL, 0};
            return false;
        }
        if (!translate_one(ssdb, request, at, end, is_raw)) {
            return false;
        }
        at = end;
    }
    ssdb->request = request;
    ssdb->length = length;
    if (ssdb->kept > 0) {
        if (!append(ssdb, request + ssdb->kept, length - ssdb->kept)) {
            return false;
        }
        ssdb->request = ssdb->sent.items;
        ssdb->length = ssdb->sent.count;
    }
    return true;
}

void oh_ssdb_release(oh_ssdb *ssdb)
{
    oh_memory_release(ssdb->sent.items);
    oh_memory_release(ssdb->words.items);
    oh_memory_release(ssdb->shapes.items);
    memset(ssdb, 0, sizeof *ssdb);
}
