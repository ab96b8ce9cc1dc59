/*
 * The errors of a configuration: in the order of their lines, no more than a person corrects at a
 * time, each with the value it is about and the word that was probably meant.
 *
 * A hostile text may have a hundred thousand errors. Only those that are kept cost time.
 *
 * Implements spec/config, sections 1 and 4.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/config/config_reader.h"

/* ---- The list ---- */

static bool is_before(size_t line, uint32_t order, const oh_config_error *other)
{
    return line != other->line ? line < other->line : order < other->order;
}

static void place(oh_config_errors *errors, size_t line, uint32_t order, const char *reason)
{
    size_t at = errors->count;

    while (at > 0 && is_before(line, order, &errors->list[at - 1])) {
        at--;
    }
    bool is_full = errors->count == OH_CONFIG_ERRORS_MAX;
    errors->more += is_full;
    errors->count += !is_full;
    if (at == OH_CONFIG_ERRORS_MAX) {
        return;
    }
    oh_config_error *error = &errors->list[at];
    memmove(error + 1, error, (errors->count - 1 - at) * sizeof *error);
    error->line = (uint32_t)line;
    error->order = order;
    snprintf(error->reason, sizeof error->reason, "%s", reason);
}

void oh_config_fail(oh_config_reader *reader, size_t line, const char *format, ...)
{
    char reason[sizeof reader->errors->list[0].reason];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    place(reader->errors, line, reader->order++, reason);
}

void oh_config_be_out_of_memory(oh_config_errors *errors)
{
    memset(errors, 0, sizeof *errors);
    place(errors, 1, 0, "there is not enough memory");
    errors->is_out_of_memory = true;
}

void oh_config_fail_memory(oh_config_reader *reader)
{
    oh_config_be_out_of_memory(reader->errors);
    reader->is_over = true;
}

void oh_config_defer(
    oh_config_reader *reader, oh_config_later *later, size_t line, const char *reason)
{
    if (later->line == 0) {
        *later = (oh_config_later){line, reader->order++, reason};
    }
}

void oh_config_fail_later(oh_config_reader *reader, const oh_config_later *later)
{
    if (later->line > 0) {
        place(reader->errors, later->line, later->order, later->reason);
    }
}

size_t oh_config_errors_count(const oh_config_reader *reader)
{
    return reader->errors->count + reader->errors->more;
}

#define LEFT_BYTES 40 /* "; and 4294967295 more errors" */

void oh_config_tell(const oh_config_errors *errors, char *text, size_t size)
{
    size_t end = (size_t)snprintf(text, size, "%s", errors->list[0].reason);
    size_t told = 1;
    char line[sizeof "line 4294967295: "] = "";

    for (; told < errors->count; told++) {
        const oh_config_error *error = &errors->list[told];
        size_t needed = strlen(error->reason) + sizeof "; line 4294967295: " + LEFT_BYTES;

        if (end + needed > size) {
            break;
        }
        if (!errors->has_no_lines) {
            snprintf(line, sizeof line, "line %u: ", error->line);
        }
        end += (size_t)snprintf(text + end, size - end, "; %s%s", line, error->reason);
    }
    size_t left = errors->count - told + errors->more;
    if (left > 0 && end + LEFT_BYTES <= size) {
        snprintf(text + end, size - end, "; and %zu more error%s", left, left > 1 ? "s" : "");
    }
}

/* ---- Names and values ---- */

oh_config_shown oh_config_show(oh_text name)
{
    oh_config_shown shown = {""};
    char *to = shown.text;
    size_t length = name.length < OH_SHOWN_BYTES_MAX ? name.length : OH_SHOWN_BYTES_MAX;

    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)name.bytes[i];
        bool is_plain = byte >= 0x20 && byte <= 0x7e && byte != '"' && byte != '\\';

        to += snprintf(to, sizeof "\\xNN", is_plain ? "%c" : "\\x%02x", byte);
    }
    if (name.length > length) {
        memcpy(to, "...", sizeof "...");
    }
    return shown;
}

/* True if it may be a URL, or a part of one: then a password may be in it. */
static bool is_url(oh_text value)
{
    for (size_t i = 0; i < value.length; i++) {
        bool is_auth = value.length - i >= 4 && memcmp(value.bytes + i, "auth", 4) == 0;

        if (is_auth || memchr("@?=", value.bytes[i], 3)) {
            return true;
        }
    }
    return false;
}

oh_config_ending oh_config_about(oh_text value)
{
    oh_config_ending about = {""};

    if (!is_url(value)) {
        snprintf(about.text, sizeof about.text, ": \"%s\"", oh_config_show(value).text);
    }
    return about;
}

/* ---- Near words ---- */

/*
 * Only short words are compared: `shown_bytes_max` bounds the word of the text, and the others are
 * those of our lists.
 */
#define WORD_BYTES_MAX 64
_Static_assert(OH_SHOWN_BYTES_MAX < WORD_BYTES_MAX, "A wrong word fits.");

static char lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

static size_t smaller(size_t one, size_t other)
{
    return one < other ? one : other;
}

/* One row of the table of distances: that of the first i + 1 bytes of the word. */
static void fill_row(oh_text word, const char *other, size_t i,
    const size_t rows[2][WORD_BYTES_MAX], size_t *row, size_t length)
{
    row[0] = i + 1;
    for (size_t j = 0; j < length; j++) {
        char letter = lower(word.bytes[i]);

        row[j + 1] = smaller(rows[1][j + 1] + 1, row[j] + 1);
        row[j + 1] = smaller(row[j + 1], rows[1][j] + (letter != other[j]));
        if (i > 0 && j > 0 && letter == other[j - 1] && lower(word.bytes[i - 1]) == other[j]) {
            row[j + 1] = smaller(row[j + 1], rows[0][j - 1] + 1);
        }
    }
}

/* The distance by optimal string alignment. */
static size_t distance(oh_text word, const char *other)
{
    size_t rows[2][WORD_BYTES_MAX] = {{0}}; /* Only the last two rows are kept. */
    size_t row[WORD_BYTES_MAX];
    size_t length = strlen(other);

    for (size_t j = 0; j <= length; j++) {
        rows[1][j] = j;
    }
    for (size_t i = 0; i < word.length; i++) {
        fill_row(word, other, i, (const size_t (*)[WORD_BYTES_MAX])rows, row, length);
        memcpy(rows[0], rows[1], sizeof row);
        memcpy(rows[1], row, sizeof row);
    }
    return rows[1][length];
}

/* Words of other clients and servers, and what they are called here. */
static const struct {
    const char *word, *meant;
} others[] = {
    {"host", "servers"},
    {"hosts", "servers"},
    {"port", "servers"},
    {"nodes", "servers"},
    {"seeds", "servers"},
    {"password", "redis_auth"},
    {"auth", "redis_auth"},
    {"user", "username"},
    {"db", "database"},
    {"read_timeout", "timeout"},
    {"connect_timeout", "timeout"},
    {"valkey", "redis"},
    {"keydb", "redis"},
    {"dragonfly", "redis"},
    {"kvrocks", "redis"},
    {"yes", "true"},
    {"on", "true"},
    {"no", "false"},
    {"off", "false"},
};

/* The one of these words that a word of other clients means here; NULL if there is none. */
static const char *meant_by(oh_text word, const char *const *words, size_t words_count)
{
    const char *meant = NULL;

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        meant = distance(word, others[i].word) == 0 ? others[i].meant : meant;
    }
    for (size_t i = 0; meant && i < words_count; i++) {
        if (strcmp(words[i], meant) == 0) {
            return meant;
        }
    }
    return NULL;
}

static const char *near_by(oh_text word, const char *const *words, size_t words_count)
{
    const char *nearest = NULL;
    size_t least = word.length < 5 ? 1 : 2;

    for (size_t i = 0; i < words_count; i++) {
        size_t steps = distance(word, words[i]);
        bool is_first = !nearest || strcmp(words[i], nearest) < 0;

        if (steps < least || (steps == least && is_first)) {
            least = steps;
            nearest = words[i];
        }
    }
    return nearest;
}

static bool is_kept(const oh_config_errors *errors, size_t line)
{
    return errors->count < OH_CONFIG_ERRORS_MAX || line < errors->list[errors->count - 1].line;
}

oh_config_ending oh_config_near(const oh_config_reader *reader, size_t line, oh_text word,
    const char *const *words, size_t words_count)
{
    oh_config_ending hint = {""};

    if (word.length > OH_SHOWN_BYTES_MAX || !is_kept(reader->errors, line)) {
        return hint;
    }
    const char *meant = meant_by(word, words, words_count);
    meant = meant ? meant : near_by(word, words, words_count);
    if (meant) {
        snprintf(hint.text, sizeof hint.text, " (did you mean \"%s\"?)", meant);
    }
    return hint;
}
