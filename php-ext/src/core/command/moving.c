/* Keys that move: which commands ask the old owner, and which replies are nothing. */
#include "core/command/command.h"

#include "core/resp/value.h"

static bool is_text_something(oh_text text)
{
    return text.length > 0 && !oh_text_is(text, "none");
}

bool oh_reply_is_something(oh_bytes reply)
{
    oh_values values = oh_values_of(reply.bytes, reply.length);
    oh_value value;

    while (values.at < values.end) {
        if (!oh_value_take(&values, &value)) {
            return true; /* A client that speaks RESP2 never gets such a reply. */
        }
        if (value.kind == OH_VALUE_TEXT
                ? is_text_something(value.text)
                : value.kind == OH_VALUE_NUMBER && (value.number > 0 || value.number < -2)) {
            return true;
        }
    }
    return false;
}

static bool blocks(const oh_command *command, const oh_bytes *words, size_t count)
{
    return oh_command_timeout(command, words, count) != NULL;
}

bool oh_command_asks(
    const oh_command *command, const oh_bytes *words, size_t count, size_t keys_count)
{
    bool is_split =
        command->spread == OH_SPREAD_SPLIT && !oh_command_is_whole(command, words, count);

    return command->access == OH_ACCESS_READ && !command->brings &&
           !blocks(command, words, count) && (keys_count == 1 || is_split);
}
