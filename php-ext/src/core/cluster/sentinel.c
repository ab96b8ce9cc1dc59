/* The majority decides, then the newest epoch. There are few Sentinels: all are compared. */
#include "core/cluster/sentinel.h"

#include "core/generated/limits.h"
#include "core/generated/messages.h"

/* ---- Reading ---- */

oh_sentinel_answer oh_sentinel_silent(void)
{
    return (oh_sentinel_answer){.reason = OH_REASON_SENTINEL_SILENT};
}

/* A decimal number, or -1. */
static int64_t number_of(oh_text text)
{
    int64_t number = text.length > 0 && text.length <= 18 ? 0 : -1;
    for (size_t i = 0; i < text.length && number >= 0; i++) {
        bool is_digit = text.bytes[i] >= '0' && text.bytes[i] <= '9';
        number = is_digit ? number * 10 + text.bytes[i] - '0' : -1;
    }
    return number;
}

static bool is_host(oh_text host)
{
    for (size_t i = 0; i < host.length; i++) {
        char byte = host.bytes[i];
        if (byte <= ' ' || byte > '~' || strchr("\"'\\/", byte) != NULL) {
            return false;
        }
    }
    return host.length > 0 && host.length <= OH_SERVER_ADDRESS_BYTES_MAX;
}

bool oh_sentinel_is_address(oh_text host, oh_text port, oh_sentinel_answer *address)
{
    int64_t number = number_of(port);
    address->host = host;
    address->port = number > 0 && number <= OH_PORT_MAX ? (uint16_t)number : 0;
    return is_host(host) && address->port > 0;
}

/* Reads one reply from the two; both were skipped before, so they are whole. */
static const char *read_address(oh_values values, oh_sentinel_answer *answer)
{
    oh_value list;
    oh_text host, port;
    if (!oh_value_take(&values, &list) || list.kind == OH_VALUE_ERROR ||
        list.kind == OH_VALUE_NIL) {
        return OH_REASON_SENTINEL_UNKNOWING;
    }
    if (list.kind != OH_VALUE_LIST || list.number != 2 || !oh_value_take_text(&values, &host) ||
        !oh_value_take_text(&values, &port)) {
        return OH_REASON_SENTINEL_MALFORMED;
    }
    return oh_sentinel_is_address(host, port, answer) ? NULL : OH_REASON_SENTINEL_ADDRESS;
}

static const char *read_epoch(oh_values values, oh_sentinel_answer *answer)
{
    oh_value list, name, value;
    int64_t epoch = -1;
    if (!oh_value_take(&values, &list) || list.kind == OH_VALUE_ERROR) {
        return OH_REASON_SENTINEL_UNKNOWING;
    }
    if (list.kind != OH_VALUE_LIST || list.number % 2 != 0) {
        return OH_REASON_SENTINEL_MALFORMED;
    }
    for (int64_t i = 0; i < list.number; i += 2) {
        oh_values before;
        if (!oh_value_take(&values, &name) || name.kind != OH_VALUE_TEXT) {
            return OH_REASON_SENTINEL_MALFORMED;
        }
        before = values;
        if (oh_value_is(&name, "config-epoch") && oh_value_take(&before, &value)) {
            epoch = value.kind == OH_VALUE_TEXT ? number_of(value.text) : -1;
        }
        oh_value_skip(&values);
    }
    answer->epoch = (uint64_t)epoch;
    return epoch >= 0 ? NULL : OH_REASON_SENTINEL_MALFORMED;
}

bool oh_sentinel_read(oh_values *values, oh_sentinel_answer *answer)
{
    oh_values first = *values;
    *answer = oh_sentinel_silent();
    if (!oh_value_skip(values)) {
        return false;
    }
    oh_values second = *values;
    if (!oh_value_skip(values)) {
        return false;
    }
    bool is_error = oh_value_begins_error(second.at, (size_t)(second.end - second.at));
    const char *address = is_error ? OH_REASON_SENTINEL_UNKNOWING : read_address(first, answer);
    const char *epoch = read_epoch(second, answer);
    bool is_readable = address == NULL || strcmp(address, OH_REASON_SENTINEL_ADDRESS) == 0;
    answer->reason = is_readable && epoch != NULL ? epoch : address;
    return true;
}

/* ---- Judging ---- */

static bool names(const oh_sentinel_answer *answer, oh_text host, uint16_t port)
{
    return answer->reason == NULL && answer->port == port && oh_text_is_same(answer->host, host);
}

static bool do_all_agree(const oh_sentinel_answer *answers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!names(&answers[i], answers[0].host, answers[0].port)) {
            return false;
        }
    }
    return true;
}

/* What is known of the address that an answer names. */
typedef struct {
    size_t support;
    size_t newest; /* The index of the answer with the highest epoch. */
    bool has_majority, is_known;
} candidate;

static bool is_better(
    const oh_sentinel_answer *answers, const candidate *one, const candidate *other)
{
    if (one->has_majority != other->has_majority) {
        return one->has_majority;
    }
    if (answers[one->newest].epoch != answers[other->newest].epoch) {
        return answers[one->newest].epoch > answers[other->newest].epoch;
    }
    return one->support != other->support ? one->support > other->support
                                          : one->is_known && !other->is_known;
}

int oh_sentinel_judge(
    const oh_sentinel_answer *answers, size_t count, const oh_sentinel_known *known)
{
    uint64_t least = known->is_adopted && !do_all_agree(answers, count) ? known->epoch : 0;
    candidate best = {.support = 0};
    size_t heard = 0;
    for (size_t i = 0; i < count; i++) {
        heard += answers[i].reason == NULL && answers[i].epoch >= least;
    }
    for (size_t i = 0; i < count; i++) {
        if (answers[i].reason != NULL || answers[i].epoch < least) {
            continue;
        }
        candidate it = {.newest = i,
            .is_known = known->is_adopted && names(&answers[i], known->host, known->port)};
        for (size_t j = 0; j < count; j++) {
            if (names(&answers[j], answers[i].host, answers[i].port) && answers[j].epoch >= least) {
                it.support++;
                it.newest = answers[j].epoch > answers[it.newest].epoch ? j : it.newest;
            }
        }
        it.has_majority = it.support * 2 > heard;
        if (best.support == 0 || is_better(answers, &it, &best)) {
            best = it;
        }
    }
    return best.support > 0 ? (int)best.newest : -1;
}
