/*
 * Decides by the specification's table of errors. A reply without the exact form is not a redirect:
 * it is an ordinary error, and nothing is followed.
 *
 * Implements spec/route/route.md, section 10.
 */
#include "core/cluster/redirect.h"

#include <string.h>

#include "core/base/decimal.h"
#include "core/cluster/cluster_map.h"
#include "core/generated/limits.h"
#include "core/generated/messages.h"
#include "core/generated/timings.h"
#include "core/generated/words.h"

static const char *const named[] = OH_WORDS_REDIRECT_NAMED;
static const char *const to_the_master[] = OH_WORDS_REDIRECT_MASTER;
static const char *const behind[] = OH_WORDS_REDIRECT_BEHIND;
static const char *const busy[] = OH_WORDS_REDIRECT_BUSY;
static const char *const as_replica[] = OH_WORDS_REFUSED_AS_REPLICA;
static const char *const by_watched[] = OH_WORDS_REFUSED_BY_WATCHED;

/* ---- Reading ---- */

static bool is_among(oh_text word, const char *const *words)
{
    while (*words && !oh_text_is(word, *words)) {
        words++;
    }
    return *words != NULL;
}

/* Cuts the first word off; empty at the end. */
static oh_text cut_word(oh_text *rest)
{
    const char *space = rest->length > 0 ? memchr(rest->bytes, ' ', rest->length) : NULL;
    oh_text word = {rest->bytes, space ? (size_t)(space - rest->bytes) : rest->length};
    size_t used = word.length + (space != NULL);

    *rest = (oh_text){rest->bytes + used, rest->length - used};
    return word;
}

/*
 * Turns "host:port" into the name that the map would give it; empty if it is not an address. An
 * empty host means the host of the asked node.
 */
static oh_text read_name(
    const oh_topology *map, uint32_t asked, oh_text endpoint, char name[OH_ADDRESS_BYTES_MAX])
{
    const oh_text none = {NULL, 0};
    size_t colon = endpoint.length;

    while (colon > 0 && endpoint.bytes[colon - 1] != ':') {
        colon--;
    }
    uint64_t port;
    oh_text digits = {endpoint.bytes + colon, endpoint.length - colon};
    if (colon == 0 || !oh_decimal_read(digits, &port) || port == 0 || port > OH_PORT_MAX) {
        return none;
    }
    oh_text host = oh_cluster_host(
        (oh_text){endpoint.bytes, colon - 1}, none, oh_topology_node(map, asked).host);
    if (host.length == 0 || host.length > OH_SERVER_ADDRESS_BYTES_MAX) {
        return none;
    }
    return oh_address_write(name, host, (uint16_t)port);
}

/* ---- Refusals in a plain server pool ---- */

bool oh_redirect_ends_wait(oh_text error)
{
    return oh_text_begins(error, OH_UNBLOCKED_BY_CHANGE);
}

bool oh_redirect_is_readonly(oh_text error)
{
    return is_among(cut_word(&error), as_replica);
}

bool oh_redirect_is_refusal(oh_text error, bool is_watched, bool has_fallback)
{
    bool is_unblocked = oh_redirect_ends_wait(error);
    oh_text word = cut_word(&error);

    return is_unblocked || is_among(word, is_watched ? by_watched : as_replica) ||
           (has_fallback && is_among(word, to_the_master));
}

/* ---- Deciding ---- */

static oh_redirect give_up(const char *reason)
{
    return (oh_redirect){.action = OH_REDIRECT_GIVE_UP, .wants_refresh = true, .reason = reason};
}

static oh_redirect again(const oh_redirect_case *it, bool wants_refresh, const char *otherwise)
{
    uint32_t full = it->tries < 5 ? OH_AGAIN_MS_FIRST << it->tries : OH_AGAIN_MS_MAX;
    uint32_t wait = full / 2 + it->chance % (full / 2 + 1);

    if (it->tries >= OH_RETRIES_MAX || (it->left_ms >= 0 && it->left_ms <= (int64_t)wait)) {
        return give_up(otherwise);
    }
    return (oh_redirect){
        .action = OH_REDIRECT_AGAIN, .wants_refresh = wants_refresh, .wait_ms = wait};
}

static oh_redirect go_to(
    const oh_redirect_case *it, oh_redirect_action action, uint32_t node, uint32_t slot)
{
    if (it->hops >= OH_REDIRECTS_MAX) {
        return give_up(OH_REASON_REDIRECT_CIRCLE);
    }
    return (oh_redirect){.action = action, .node = node, .slot = slot};
}

/*
 * A node that the map does not know may be new, or foreign: only a refreshed map can show which. If
 * the refreshed map does not have the node either, the owner of the slot in that map may be the
 * same node under another name, or the change has not arrived yet.
 */
static oh_redirect to_unknown(
    const oh_topology *map, const oh_redirect_case *it, oh_redirect_action action, uint32_t slot)
{
    if (!it->is_fresh) {
        return (oh_redirect){.action = OH_REDIRECT_REFRESH, .slot = slot, .wants_refresh = true};
    }
    uint16_t owner = oh_topology_slots(map)[slot];
    if (action == OH_REDIRECT_ASK || (owner & OH_SLOT_UNSERVED) || owner == it->asked) {
        return again(it, true, OH_REASON_REDIRECT_UNKNOWN);
    }
    return go_to(it, OH_REDIRECT_FOLLOW, owner, slot);
}

static oh_redirect to_named(
    const oh_topology *map, const oh_redirect_case *it, oh_redirect_action action, oh_text rest)
{
    char room[OH_ADDRESS_BYTES_MAX];
    uint64_t number;
    oh_text digits = cut_word(&rest);
    oh_text name = {NULL, 0};

    if (oh_decimal_read(digits, &number) && number < OH_SLOTS_COUNT && rest.length > 0 &&
        !memchr(rest.bytes, ' ', rest.length)) {
        name = read_name(map, it->asked, rest, room);
    }
    if (name.length == 0) {
        return (oh_redirect){.action = OH_REDIRECT_NONE};
    }
    if (it->is_held) {
        return give_up(OH_REASON_REDIRECT_HELD);
    }
    uint32_t slot = (uint32_t)number;
    uint32_t node = oh_topology_find(map, name.bytes, name.length);
    if (node == it->asked) {
        return again(it, true, OH_REASON_REDIRECT_LATE);
    }
    if (node == oh_topology_nodes_count(map) || oh_topology_node(map, node).role == OH_GONE) {
        return to_unknown(map, it, action, slot);
    }
    oh_redirect redirect = go_to(it, action, node, slot);
    redirect.has_moved = redirect.action == OH_REDIRECT_FOLLOW;
    redirect.wants_refresh |= redirect.has_moved;
    return redirect;
}

/* A replica cannot answer now, but its master can. */
static oh_redirect to_master(const oh_topology *map, const oh_redirect_case *it)
{
    oh_node node = oh_topology_node(map, it->asked);

    return node.role == OH_REPLICA ? go_to(it, OH_REDIRECT_FOLLOW, node.master, 0)
                                   : again(it, true, OH_REASON_REDIRECT_LATE);
}

oh_redirect oh_redirect_decide(const oh_topology *map, const oh_redirect_case *it)
{
    oh_text rest = it->error;
    oh_text word = cut_word(&rest);

    if (is_among(word, named)) {
        bool is_moved = oh_text_is(word, "MOVED");

        return to_named(map, it, is_moved ? OH_REDIRECT_FOLLOW : OH_REDIRECT_ASK, rest);
    }
    bool is_from_replica = is_among(word, to_the_master);
    bool is_behind = is_among(word, behind) || oh_redirect_ends_wait(it->error);
    if (!is_from_replica && !is_behind && !is_among(word, busy)) {
        return (oh_redirect){.action = OH_REDIRECT_NONE};
    }
    if (it->is_held) {
        return give_up(OH_REASON_REDIRECT_HELD);
    }
    return is_from_replica ? to_master(map, it) : again(it, is_behind, OH_REASON_REDIRECT_LATE);
}

/*
 * A request that may be sent again may leave. One that was sent, and may have been executed, stays.
 */
oh_leaving oh_leaving_decide(const oh_leaving_case *it)
{
    bool may_leave = !it->is_sent || (it->may_repeat && !it->has_heard && !it->is_blocking);
    uint64_t half_ns = it->timeout_ms * UINT64_C(500000);

    if (it->is_bound || !may_leave) {
        return OH_LEAVING_STAY;
    }
    if (it->has_successor) {
        return OH_LEAVING_FOR_SUCCESSOR;
    }
    return it->has_fallback && it->may_repeat && it->timeout_ms && it->left_ns <= half_ns
               ? OH_LEAVING_FOR_FALLBACK
               : OH_LEAVING_STAY;
}
