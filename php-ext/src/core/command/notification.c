/* Notifications of keys: compares channels with the two beginnings that servers use. */
#include "core/command/command.h"

#include "core/base/compiler.h"
#include "core/generated/words.h"

static const char *const begins[] = OH_WORDS_NOTIFICATION_BEGINS;

bool oh_notification_is_channel(oh_text channel)
{
    for (const char *const *begin = begins; *begin; begin++) {
        if (oh_text_begins(channel, *begin)) {
            return true;
        }
    }
    return false;
}

/* How many bytes at the beginning of a pattern match only themselves. */
static size_t literal_length(oh_text pattern)
{
    size_t length = 0;

    while (length < pattern.length && !memchr("*?[\\", pattern.bytes[length], 4)) {
        length++;
    }
    return length;
}

bool oh_notification_may_match(oh_text pattern)
{
    size_t literal = literal_length(pattern);

    for (const char *const *begin = begins; *begin; begin++) {
        if (strncmp(pattern.bytes, *begin, OH_MIN(literal, strlen(*begin))) == 0) {
            return true;
        }
    }
    return false;
}
