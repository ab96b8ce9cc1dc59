/*
 * The majority decides, then the newest epoch. There are few Sentinels, so all are compared.
 */
#include "core/cluster/sentinel.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/decimal.h"
#include "core/cluster/cluster_reader.h"
#include "core/generated/limits.h"
#include "core/generated/messages.h"
#include "core/topology/server_pool.h"

#define NUMBER_DIGITS_MAX 18 /* So many digits fit into a signed number of 64 bits. */

/* ---- Reading ---- */

oh_sentinel_answer oh_sentinel_silent(void)
{
    return (oh_sentinel_answer){.reason = OH_REASON_SENTINEL_SILENT};
}

bool oh_sentinel_read_number(oh_text text, uint64_t *number)
{
    return text.length <= NUMBER_DIGITS_MAX && oh_decimal_read(text, number);
}

/* The port of this address; 0 if the address is not valid. */
static uint16_t port_of(oh_text host, oh_text port)
{
    uint64_t number;
    bool is_valid = oh_cluster_is_plain(host, OH_SERVER_ADDRESS_BYTES_MAX) &&
                    oh_sentinel_read_number(port, &number) && number <= OH_PORT_MAX;

    return is_valid ? (uint16_t)number : 0;
}

/* What a Sentinel says of a master or a replica; texts that it does not say are absent. */
typedef struct {
    oh_text host, port, epoch, flags, link;
} told_fields;

/* Where the value of this name belongs; NULL if it has no meaning here. */
static oh_text *place_of(told_fields *fields, const oh_value *name)
{
    return oh_value_is(name, "ip")                   ? &fields->host
           : oh_value_is(name, "port")               ? &fields->port
           : oh_value_is(name, "config-epoch")       ? &fields->epoch
           : oh_value_is(name, "flags")              ? &fields->flags
           : oh_value_is(name, "master-link-status") ? &fields->link
                                                     : NULL;
}

/*
 * Reads a list of names and values, which is a whole RESP value. If a name is repeated, its first
 * text counts. False if it is not such a list.
 */
static bool read_fields(oh_values values, told_fields *fields)
{
    size_t count;
    oh_value name, value;

    *fields = (told_fields){.host.bytes = NULL};
    if (!oh_value_take_list(&values, &count) || count % 2 != 0) {
        return false;
    }
    for (size_t i = 0; i < count; i += 2) {
        if (!oh_value_take(&values, &name) || name.kind != OH_VALUE_TEXT) {
            return false;
        }
        oh_text *place = place_of(fields, &name);
        oh_values before = values;
        oh_value_skip(&values);
        if (place && !place->bytes && oh_value_take(&before, &value) &&
            value.kind == OH_VALUE_TEXT) {
            *place = value.text;
        }
    }
    return true;
}

/*
 * Reads one of the two replies; both were skipped before, so they are whole. Without a port the
 * address is not valid.
 */
static const char *read_address(oh_values values, oh_sentinel_answer *answer)
{
    oh_value list;
    oh_text port;

    if (!oh_value_take(&values, &list) || list.kind == OH_VALUE_ERROR ||
        list.kind == OH_VALUE_NIL) {
        return OH_REASON_SENTINEL_UNKNOWING;
    }
    if (list.kind != OH_VALUE_LIST || list.number != 2 ||
        !oh_value_take_text(&values, &answer->host) || !oh_value_take_text(&values, &port)) {
        return OH_REASON_SENTINEL_MALFORMED;
    }
    answer->port = port_of(answer->host, port);
    return NULL;
}

static const char *read_epoch(oh_values values, oh_sentinel_answer *answer)
{
    told_fields fields;
    bool has_epoch =
        read_fields(values, &fields) && oh_sentinel_read_number(fields.epoch, &answer->epoch);

    return has_epoch ? NULL : OH_REASON_SENTINEL_MALFORMED;
}

bool oh_sentinel_is_none(const uint8_t *reply, size_t length)
{
    static const char unknown[] = "-ERR unknown command";

    return length >= sizeof unknown - 1 && memcmp(reply, unknown, sizeof unknown - 1) == 0;
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
    size_t length = (size_t)(second.end - second.at);
    const char *reason = oh_sentinel_is_none(second.at, length)     ? OH_REASON_SENTINEL_NONE
                         : oh_value_begins_error(second.at, length) ? OH_REASON_SENTINEL_UNKNOWING
                                                                    : read_address(first, answer);
    reason = reason ? reason : read_epoch(second, answer);
    answer->reason = !reason && answer->port == 0 ? OH_REASON_SENTINEL_ADDRESS : reason;
    return true;
}

/* ---- Judging ---- */

bool oh_sentinel_names(const oh_sentinel_answer *answer, oh_text host, uint16_t port)
{
    return !answer->reason && answer->port == port && oh_text_is_same(answer->host, host);
}

/* How many answers name the address of `named`, and have this epoch or a newer one. */
static size_t count_support(const oh_sentinel_answer *answers, size_t count,
    const oh_sentinel_answer *named, uint64_t epoch)
{
    size_t support = 0;

    for (size_t i = 0; i < count; i++) {
        support +=
            oh_sentinel_names(&answers[i], named->host, named->port) && answers[i].epoch >= epoch;
    }
    return support;
}

/*
 * The index of an answer whose address more than half of all Sentinels name with this epoch or a
 * newer one, or -1.
 */
static int find_majority(const oh_sentinel_answer *answers, size_t count, uint64_t epoch)
{
    for (size_t i = 0; i < count; i++) {
        if (!answers[i].reason && count_support(answers, count, &answers[i], epoch) * 2 > count) {
            return (int)i;
        }
    }
    return -1;
}

bool oh_sentinel_is_certain(
    const oh_sentinel_answer *answers, size_t count, const oh_sentinel_known *known)
{
    return find_majority(answers, count, known->is_adopted ? known->epoch : 0) >= 0;
}

bool oh_sentinel_is_contradicted(
    const oh_sentinel_answer *answers, size_t count, const oh_sentinel_known *now)
{
    int most = find_majority(answers, count, 0);

    return most >= 0 &&
           !(now->is_adopted && oh_sentinel_names(&answers[most], now->host, now->port));
}

/*
 * An address as its supporters name it. Supporters are the Sentinels that name it and are not
 * stale.
 */
typedef struct {
    size_t support;
    size_t median; /* The index of the answer whose epoch the address gets. */
    bool has_majority, is_known;
} candidate;

/* The answer with the highest epoch that more than half of the supporters have reached. */
static size_t find_median(
    const oh_sentinel_answer *answers, size_t count, size_t first, size_t support)
{
    const oh_sentinel_answer *named = &answers[first];
    size_t median = count;

    for (size_t i = 0; i < count; i++) {
        bool is_reached = oh_sentinel_names(&answers[i], named->host, named->port) &&
                          count_support(answers, count, named, answers[i].epoch) * 2 > support;

        if (is_reached && (median == count || answers[i].epoch > answers[median].epoch)) {
            median = i;
        }
    }
    return median;
}

static bool is_better(
    const oh_sentinel_answer *answers, const candidate *one, const candidate *other)
{
    if (one->has_majority != other->has_majority) {
        return one->has_majority;
    }
    if (answers[one->median].epoch != answers[other->median].epoch) {
        return answers[one->median].epoch > answers[other->median].epoch;
    }
    return one->support != other->support ? one->support > other->support
                                          : one->is_known && !other->is_known;
}

int oh_sentinel_judge(
    const oh_sentinel_answer *answers, size_t count, const oh_sentinel_known *known)
{
    bool do_all_agree =
        count > 0 && !answers[0].reason && count_support(answers, count, answers, 0) == count;
    uint64_t least = known->is_adopted && !do_all_agree ? known->epoch : 0;
    candidate best = {.support = 0};
    size_t heard = 0;

    for (size_t i = 0; i < count; i++) {
        heard += !answers[i].reason && answers[i].epoch >= least;
    }
    for (size_t i = 0; i < count; i++) {
        if (answers[i].reason || answers[i].epoch < least ||
            count_support(answers, i, &answers[i], least) > 0) {
            continue; /* It says nothing, is stale, or repeats what was judged before. */
        }
        candidate it = {.support = count_support(answers, count, &answers[i], least),
            .is_known =
                known->is_adopted && oh_sentinel_names(&answers[i], known->host, known->port)};
        it.median = find_median(answers, count, i, it.support);
        it.has_majority = it.support * 2 > heard;
        if (best.support == 0 || is_better(answers, &it, &best)) {
            best = it;
        }
    }
    return best.support > 0 ? (int)best.median : -1;
}

/* ---- Replicas: most masters have one to three, so nothing here is made for thousands ---- */

/* A replica with a host, a port and flags has more bytes. */
#define BYTES_MIN 48

static bool has_flag(oh_text flags, const char *flag)
{
    return oh_text_has_part(flags, ',', (oh_text){flag, strlen(flag)});
}

/* True if it follows its master, as far as the Sentinel knows. */
static bool is_well(const told_fields *fields)
{
    return fields->flags.bytes && !has_flag(fields->flags, "s_down") &&
           !has_flag(fields->flags, "o_down") && !has_flag(fields->flags, "disconnected") &&
           (!fields->link.bytes || oh_text_is(fields->link, "ok"));
}

void oh_sentinel_set_replica(
    oh_sentinel_replica *replica, oh_text host, uint16_t port, uint16_t master)
{
    replica->host = host;
    replica->port = port;
    replica->master = master;
    replica->name_length = (uint16_t)oh_address_write(replica->name, host, port).length;
}

/* A liar may send a list of a million empty lists. */
static size_t count_named(oh_values reply)
{
    size_t count;
    size_t most = (size_t)(reply.end - reply.at) / BYTES_MIN;

    oh_value_take_list(&reply, &count);
    return count < most ? count : most;
}

size_t oh_sentinel_count_replicas(const oh_values *replies, size_t count)
{
    size_t most = 0;

    for (size_t i = 0; i < count; i++) {
        most += count_named(replies[i]);
    }
    return most;
}

/* Reads the replicas that one reply names, each once. */
static size_t read_named(oh_values reply, const oh_sentinel_answer *adopted, uint16_t master,
    oh_sentinel_replica *replicas)
{
    size_t named, count = 0;

    oh_value_take_list(&reply, &named);
    for (size_t i = 0; i < named; i++) {
        oh_values element = reply;
        told_fields fields;

        oh_value_skip(&reply);
        bool is_wanted = read_fields(element, &fields) && is_well(&fields);
        uint16_t port = is_wanted ? port_of(fields.host, fields.port) : 0;
        bool is_adopted = port == adopted->port && oh_text_is_same(fields.host, adopted->host);
        if (port > 0 && !is_adopted) {
            oh_sentinel_set_replica(&replicas[count++], fields.host, port, master);
        }
    }
    return oh_sentinel_order_replicas(replicas, count);
}

static int compare_names(const oh_sentinel_replica *one, const oh_sentinel_replica *other)
{
    return oh_server_compare_names(oh_sentinel_replica_name(one), oh_sentinel_replica_name(other));
}

static int compare(const void *a, const void *b)
{
    const oh_sentinel_replica *one = a, *other = b;
    int order = compare_names(one, other);

    return order != 0 ? order : (one->master > other->master) - (one->master < other->master);
}

size_t oh_sentinel_order_replicas(oh_sentinel_replica *replicas, size_t count)
{
    size_t kept = 0;

    if (count > 0) {
        qsort(replicas, count, sizeof *replicas, compare);
    }
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || compare_names(&replicas[kept - 1], &replicas[i]) != 0) {
            replicas[kept++] = replicas[i];
        }
    }
    return kept;
}

size_t oh_sentinel_read_replicas(const oh_values *replies, size_t count,
    const oh_sentinel_answer *adopted, uint16_t master, oh_sentinel_replica *replicas)
{
    size_t named = 0, kept = 0;

    for (size_t i = 0; i < count; i++) {
        named += read_named(replies[i], adopted, master, replicas + named);
    }
    if (named > 0) {
        qsort(replicas, named, sizeof *replicas, compare);
    }
    for (size_t i = 0, next; i < named; i = next) {
        for (next = i + 1; next < named && compare_names(&replicas[i], &replicas[next]) == 0;) {
            next++;
        }
        if ((next - i) * 2 > count) {
            replicas[kept++] = replicas[i];
        }
    }
    return kept;
}
