/*
 * The words of a command that is sent again. A blocking command waits only for the rest of its own
 * timeout, so the word with the timeout is replaced.
 */
#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/key/key.h"

#include "engine/base/environment.h"
#include "engine/resend/resend_internal.h"
#include "engine/snapshot/read_from.h"

#define NS_PER_MS UINT64_C(1000000)
#define OH_TIMEOUT_BYTES 24

oh_bytes *oh_resend_read_words(oh_bytes command, size_t *count)
{
    oh_values values = oh_values_of(command.bytes, command.length);

    if (!oh_value_take_command(&values, count)) {
        *count = 0;
    }
    oh_bytes *words = oh_call_resize(NULL, *count, sizeof *words);
    for (size_t i = 0; words && i < *count; i++) {
        oh_value_take_word(&values, &words[i]);
    }
    return words;
}

bool oh_resend_find_slot(oh_bytes bytes, uint32_t *slot, oh_state *state)
{
    size_t count, found = 0;
    oh_bytes *words = oh_resend_read_words(bytes, &count);
    oh_key_position position;

    if (!words) {
        return false;
    }
    const oh_command *command = oh_command_find(words, count);
    *slot = OH_SLOTS_COUNT;
    *state = command ? command->state : OH_STATE_NONE;
    if (command && !oh_command_keys(command, words, count, &position, 1, &found) && found > 0) {
        *slot = oh_key_slot(words[position.position]);
    }
    oh_call_release(words);
    return true;
}

/* True if the command runs a script, which perhaps only one node knows. */
static bool runs_script(const oh_command *command)
{
    return strncmp(command->name, "eval", 4) == 0 || strncmp(command->name, "fcall", 5) == 0;
}

/* True if another node may answer this command. */
static bool is_read_of_key(const oh_snapshot *snapshot, oh_bytes bytes)
{
    size_t count, found = 0;
    oh_bytes *words = oh_resend_read_words(bytes, &count);
    oh_key_position position;
    const oh_command *command = words ? oh_command_find(words, count) : NULL;
    bool is_read = oh_read_from_applies(snapshot, command) && !runs_script(command) &&
                   !oh_command_keys(command, words, count, &position, 1, &found) && found > 0;

    oh_call_release(words);
    return is_read;
}

bool oh_resend_may_fall_back(const oh_exchange *exchange, oh_snapshot *snapshot, uint32_t node)
{
    oh_bytes request = {exchange->request.bytes, exchange->request.length};
    bool are_reads = oh_exchange_may_fall_back(exchange) && request.bytes;

    for (size_t at = 0, end; are_reads && at < request.length; at = end) {
        end = oh_request_end_of_command(request.bytes, request.length, at);
        are_reads = is_read_of_key(snapshot, (oh_bytes){request.bytes + at, end - at});
    }
    return are_reads && oh_read_from_has_fallback(snapshot, node);
}

uint64_t oh_resend_wait_end(const oh_exchange *exchange, bool is_alone)
{
    uint32_t block_ms = exchange->terms.block_ms;

    if (!is_alone || !block_ms || block_ms == OH_BLOCK_FOR_EVER) {
        return 0;
    }
    return exchange->times.waits_since_ns + block_ms * NS_PER_MS;
}

uint32_t oh_resend_wait_left_ms(uint64_t end_ns)
{
    uint64_t now_ns = oh_clock_now_ns();
    uint64_t left_ms = end_ns > now_ns ? (end_ns - now_ns) / NS_PER_MS : 0;

    return (uint32_t)OH_MAX(OH_MIN(left_ms, INT32_MAX), 1);
}

/* Writes the timeout in the unit of the command. */
static oh_bytes write_timeout(
    char room[OH_TIMEOUT_BYTES], const oh_command *command, uint32_t left_ms)
{
    int length = command->blocking.is_milliseconds
                     ? snprintf(room, OH_TIMEOUT_BYTES, "%u", left_ms)
                     : snprintf(room, OH_TIMEOUT_BYTES, "%u.%03u", left_ms / 1000, left_ms % 1000);

    return (oh_bytes){(const uint8_t *)room, (size_t)length};
}

void oh_resend_put_command(oh_buffer *to, oh_bytes bytes, uint64_t wait_end_ns)
{
    size_t count;
    char room[OH_TIMEOUT_BYTES];
    oh_bytes *words = wait_end_ns ? oh_resend_read_words(bytes, &count) : NULL;
    const oh_command *command = words ? oh_command_find(words, count) : NULL;
    const oh_bytes *timeout = command ? oh_command_timeout(command, words, count) : NULL;

    if (!timeout) {
        oh_buffer_append(to, bytes.bytes, bytes.length);
    } else {
        oh_resp_put_list(oh_buffer_sink(to), count);
        for (size_t i = 0; i < count; i++) {
            oh_resp_put_word(oh_buffer_sink(to),
                &words[i] == timeout
                    ? write_timeout(room, command, oh_resend_wait_left_ms(wait_end_ns))
                    : words[i]);
        }
    }
    oh_call_release(words);
}
