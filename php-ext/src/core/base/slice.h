/*
 * Slices: bytes, or text, that belong to another object. That object says how long they live.
 * Slices are passed by value. `bytes` is NULL if there are none.
 */
#ifndef OH_SLICE_H
#define OH_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Any bytes: a key, a word of a command, a reply. */
typedef struct oh_bytes {
    const uint8_t *bytes;
    size_t length;
} oh_bytes;

/* Text without a NUL in it. Text of a configuration or a topology is followed by a NUL. */
typedef struct oh_text {
    const char *bytes;
    size_t length;
} oh_text;

static inline bool oh_text_is_same(oh_text one, oh_text other)
{
    return one.length == other.length &&
           // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): a length has its bytes.
           (one.length == 0 || memcmp(one.bytes, other.bytes, one.length) == 0);
}

/* True if the text is `word`. Inline, so that the compiler knows the length of a literal. */
static inline bool oh_text_is(oh_text text, const char *word)
{
    return oh_text_is_same(text, (oh_text){word, strlen(word)});
}

/* True if the text begins with `beginning`. */
static inline bool oh_text_begins(oh_text text, const char *beginning)
{
    size_t length = strlen(beginning);

    return text.length >= length && oh_text_is((oh_text){text.bytes, length}, beginning);
}

/* Like oh_text_is and oh_text_begins, for bytes. */
static inline bool oh_bytes_is(oh_bytes bytes, const char *word)
{
    return oh_text_is((oh_text){(const char *)bytes.bytes, bytes.length}, word);
}

static inline bool oh_bytes_begins(oh_bytes bytes, const char *beginning)
{
    return oh_text_begins((oh_text){(const char *)bytes.bytes, bytes.length}, beginning);
}

/* True if one of the parts between the separators is `part`. */
static inline bool oh_text_has_part(oh_text text, char separator, oh_text part)
{
    for (size_t start = 0, end; start <= text.length; start = end + 1) {
        for (end = start; end < text.length && text.bytes[end] != separator; end++) {
        }
        if (oh_text_is_same((oh_text){text.bytes + start, end - start}, part)) {
            return true;
        }
    }
    return false;
}

/* How many digits follow each other from index `from` on. */
static inline size_t oh_digits_at(oh_bytes text, size_t from)
{
    size_t at = from;

    while (at < text.length && text.bytes[at] >= '0' && text.bytes[at] <= '9') {
        at++;
    }
    return at - from;
}

/* A text as bytes, and bytes as a text. Nothing is copied. */
static inline oh_bytes oh_text_bytes(oh_text text)
{
    return (oh_bytes){(const uint8_t *)text.bytes, text.length};
}

static inline oh_text oh_bytes_text(oh_bytes bytes)
{
    return (oh_text){(const char *)bytes.bytes, bytes.length};
}

#endif
