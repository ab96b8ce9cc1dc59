/*
 * Raw command: rawCommand(), whose arguments are the words of a command.
 *
 * The command table finds the keys among the words. A node describes a command that is not in the
 * table (learn.h). OPT_PREFIX is not added: phpredis sends the words unchanged.
 *
 * Implements spec/route, "Unknown commands" and "Splitting".
 *
 * Converts the arguments to text in place, as phpredis would, and then plans them as the words of a
 * command.
 */
#include "php/base/zend.h"

#include "php/call/keys.h"
#include "php/call/learn.h"
#include "php/call/plan.h"
#include "php/call/refuse.h"

#define POSITIONS_ROOM 64

typedef struct raw_call {
    oh_client *client;
    zend_execute_data *execute_data;
    oh_plan *plan;
    oh_bytes *words;
    size_t count;
} raw_call;

/* ---- One node ---- */

static uint32_t home_of(const raw_call *call, const oh_bytes *word)
{
    return oh_client_home_of(call->client, word->bytes, word->length);
}

static oh_placed_key placed(const oh_bytes *word, uint32_t home)
{
    return (oh_placed_key){word->bytes, word->length, home, true};
}

static bool are_together(raw_call *call, const oh_key_position *positions, size_t count)
{
    const oh_command *command = call->plan->command;
    const oh_bytes *first = &call->words[positions[0].position];
    uint32_t first_home = home_of(call, first);

    call->plan->call.node = oh_snapshot_node_of(call->client->snapshot, first_home);
    for (size_t i = 0; i < count; i++) {
        const oh_bytes *word = &call->words[positions[i].position];

        if (positions[i].kind == OH_KEY_PATTERN &&
            !oh_keys_is_pattern_placed(call->client, word->bytes, word->length)) {
            oh_refuse_pattern(call->client, command, word->bytes, word->length);
            return false;
        }
        if (i > 0 && call->client->snapshot->pool->distribution != OH_RANDOM) {
            uint32_t home = home_of(call, word);

            if (home != first_home) {
                oh_refuse_cross_node(
                    call->client, command, placed(first, first_home), placed(word, home));
                return false;
            }
        }
    }
    return true;
}

static void refuse_malformed(const raw_call *call, const char *malformed)
{
    char advice[128];

    snprintf(advice, sizeof advice, OH_REASON_MALFORMED, malformed);
    oh_refuse(call->execute_data, call->plan->command, advice);
}

/* ---- Parts ---- */

static bool cut(raw_call *call)
{
    oh_plan *plan = call->plan;
    oh_command_shape shape;
    const char *malformed = oh_command_shape_of(plan->command, call->words, call->count, &shape);

    if (malformed) {
        refuse_malformed(call, malformed);
        return false;
    }
    uint32_t *homes = safe_emalloc(shape.keys, sizeof *homes, 1);
    for (size_t i = 0; i < shape.keys; i++) {
        homes[i] = home_of(call, &call->words[shape.first + i * shape.step]);
    }
    plan->split = oh_split_cut_words(call->client, plan, call->words, &shape, homes);
    efree(homes);
    if (plan->split->parts_count <= 1) {
        plan->call.node = plan->split->parts_count ? plan->split->parts[0].node : plan->call.node;
        plan->spread = OH_SPREAD_ONE_NODE;
        oh_plan_free(plan);
    }
    return true;
}

/* True if the keys are known. Otherwise throws. */
static bool find_keys(raw_call *call, oh_key_position *positions, size_t room, size_t *found)
{
    if (oh_learn_must_find_keys(call->plan)) {
        return oh_learn_keys(call->client, call->execute_data, call->plan, call->words, call->count,
            positions, found);
    }
    const char *malformed =
        oh_command_keys(call->plan->command, call->words, call->count, positions, room, found);

    if (malformed) {
        refuse_malformed(call, malformed);
    }
    return !malformed;
}

static bool place_without_keys(raw_call *call)
{
    oh_plan *plan = call->plan;
    const oh_command *command = plan->command;

    if (command->without_keys == OH_SPREAD_REFUSED && oh_plan_keyless(call->client, plan)) {
        return true;
    }
    if (command->without_keys == OH_SPREAD_REFUSED || command->without_keys == OH_SPREAD_NONE) {
        oh_refuse(call->execute_data, command,
            command->without_keys_reason ? command->without_keys_reason : OH_REASON_WITHOUT_KEY);
        return false;
    }
    plan->spread = command->without_keys;
    return true;
}

static bool place_on_one_node(raw_call *call, const oh_key_position *positions, size_t count)
{
    call->plan->spread = OH_SPREAD_ONE_NODE;
    if (!are_together(call, positions, count)) {
        return false;
    }
    zval *key = ZEND_CALL_ARG(call->execute_data, positions[0].position + 1);

    call->plan->call.key = (oh_call_key){zend_string_copy(Z_STR_P(key)), true};
    return true;
}

static bool place_at(raw_call *call, const oh_key_position *positions, size_t count)
{
    const oh_plan *plan = call->plan;

    if (count == 0) {
        return place_without_keys(call);
    }
    if (plan->spread == OH_SPREAD_SPLIT && !oh_client_is_in_transaction(call->client) &&
        !oh_command_is_whole(plan->command, call->words, call->count)) {
        return cut(call);
    }
    return place_on_one_node(call, positions, count);
}

static bool place(raw_call *call)
{
    /* No command has more keys than words. */
    size_t room = call->count, found = 0;
    oh_key_position small[POSITIONS_ROOM],
        *positions = room > POSITIONS_ROOM ? safe_emalloc(room, sizeof *positions, 0) : small;
    bool is_placed = find_keys(call, positions, room, &found) && place_at(call, positions, found);

    if (positions != small) {
        efree(positions);
    }
    return is_placed;
}

/* ---- The plan ---- */

static bool read_words(raw_call *call)
{
    zend_execute_data *execute_data = call->execute_data;

    for (size_t i = 0; i < call->count; i++) {
        zend_string *word =
            oh_client_key(execute_data, ZEND_CALL_ARG(execute_data, i + 1), (uint32_t)i + 1);

        if (!word) {
            return false;
        }
        call->words[i] = (oh_bytes){(const uint8_t *)ZSTR_VAL(word), ZSTR_LEN(word)};
    }
    return true;
}

static void plan_wait(const raw_call *call)
{
    const oh_bytes *timeout = oh_command_timeout(call->plan->command, call->words, call->count);

    if (timeout) {
        oh_plan_wait(call->plan, zend_strtod((const char *)timeout->bytes, NULL));
    }
}

/* How many words name the command: two if the first word needs a subcommand (CONFIG GET). */
static size_t name_words(const raw_call *call)
{
    char name[32];
    size_t length = MIN(call->words[0].length, sizeof name - 1);

    zend_str_tolower_copy(name, (const char *)call->words[0].bytes, length);
    const oh_command *command = oh_command_named(name, length);
    return command && command->is_container && call->count > 1 ? 2 : 1;
}

/* Takes over what the command means. */
static void take_command(raw_call *call)
{
    oh_plan *plan = call->plan;

    plan->spread = plan->command->spread;
    plan->merge = plan->command->merge;
    plan->call.terms.is_read_only = plan->command->is_retryable;
    plan_wait(call);
}

static bool find_command(raw_call *call)
{
    oh_plan *plan = call->plan;

    plan->call.terms.is_raw = true;
    plan->command = oh_command_find(call->words, call->count);
    if (plan->command && plan->command->is_ssdb && !call->client->snapshot->pool->is_ssdb) {
        plan->command = NULL;
    }
    if (plan->command) {
        take_command(call);
    }
    return true;
}

/* True if a node may know a command of this name, which the table does not hold. */
static bool may_be_learnt(const raw_call *call)
{
    char name[OH_COMMAND_NAME_BYTES];

    if (call->client->snapshot->pool->is_ssdb || !oh_command_name(name, call->words, 1)) {
        return false;
    }
    const oh_command *container = oh_command_named(name, strlen(name));
    return !container || container->is_ssdb || call->count > 1;
}

static bool learn(raw_call *call)
{
    oh_plan *plan = call->plan;

    if (!may_be_learnt(call)) {
        oh_refuse_unknown(call->execute_data, call->words, name_words(call));
        return false;
    }
    if (!oh_learn_command(call->client, call->execute_data, plan, call->words, call->count)) {
        return false;
    }
    take_command(call);
    if (plan->learnt && plan->learnt->learnt.is_unshared) {
        plan->call.terms.is_unknown = true;
        if (call->client->mode != OH_ATOMIC) {
            oh_refuse(call->execute_data, plan->command, OH_REASON_LEARNT_UNSHARED);
            return false;
        }
    }
    return true;
}

static bool plan_words(raw_call *call)
{
    oh_plan *plan = call->plan;

    if (!plan->command && !learn(call)) {
        return false;
    }
    ZEND_ASSERT(plan->command); /* learn() has set a command that is not in the table. */
    if (plan->spread == OH_SPREAD_REFUSED) {
        oh_refuse(call->execute_data, plan->command, plan->command->reason);
        return false;
    }
    if (plan->spread == OH_SPREAD_BOUND || plan->command->state == OH_STATE_WATCH ||
        plan->command->state == OH_STATE_SUBSCRIPTION || plan->merge == OH_MERGE_SCAN) {
        oh_refuse(call->execute_data, plan->command, OH_REASON_RAW_STATE);
        return false;
    }
    if (plan->spread == OH_SPREAD_ALL_NODES && call->client->snapshot->masters_count > 1 &&
        oh_command_is_whole(plan->command, call->words, call->count)) {
        oh_refuse(call->execute_data, plan->command, OH_REASON_WHOLE_WITH);
        return false;
    }
    return plan->spread == OH_SPREAD_ALL_NODES || plan->spread == OH_SPREAD_ANY_NODE || place(call);
}

/* Reads the words of the call and passes them to `what`. */
static bool with_words(raw_call call, bool (*what)(raw_call *))
{
    zend_execute_data *execute_data = call.execute_data;

    call.count = ZEND_NUM_ARGS();
    call.words = safe_emalloc(call.count, sizeof *call.words, 0);
    bool is_done = read_words(&call) && what(&call);
    efree(call.words);
    return is_done;
}

bool oh_raw_command_find(oh_client *client, zend_execute_data *execute_data, oh_plan *plan)
{
    if (ZEND_NUM_ARGS() == 0) {
        zend_wrong_parameters_count_error(1, (uint32_t)-1);
        return false;
    }
    return with_words(
        (raw_call){.client = client, .execute_data = execute_data, .plan = plan}, find_command);
}

bool oh_raw_command_plan(oh_client *client, zend_execute_data *execute_data, oh_plan *plan)
{
    bool is_planned = with_words(
        (raw_call){.client = client, .execute_data = execute_data, .plan = plan}, plan_words);

    if (!is_planned) {
        oh_plan_free(plan);
    }
    return is_planned;
}
