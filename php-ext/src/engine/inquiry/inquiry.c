/*
 * A question is an exchange of its own, on a connection of the pool. It is in memory of the call.
 */
#include "engine/inquiry/inquiry.h"

#include "core/base/clock.h"
#include "core/generated/messages.h"

#include "engine/base/buffer.h"
#include "engine/shared/segment.h"

_Static_assert(sizeof((oh_snapshot *)NULL)->identity == OH_KEPT_IDENTITY_BYTES,
    "commands are kept by the identity of their server pool");

/* ---- Asking ---- */

/* The side that asks. `read` gets the answer, which is valid only until `read` returns. */
typedef struct inquirer {
    oh_learnt_answer (*read)(struct inquirer *asks, oh_bytes answer);
} inquirer;

static oh_inquiry_end end_of(oh_inquiry *inquiry, oh_learnt_answer read, oh_bytes answer)
{
    oh_text text = {OH_REASON_LEARNT_UNREADABLE, strlen(OH_REASON_LEARNT_UNREADABLE)};

    if (read == OH_LEARNT_READ) {
        return OH_INQUIRY_ANSWERED;
    }
    if (read == OH_LEARNT_ERROR) {
        text = oh_value_error_text(answer.bytes, answer.length);
    }
    oh_quote(&inquiry->answer, text.bytes, text.length);
    return OH_INQUIRY_REFUSED;
}

/*
 * Asks one node. An answer that has not arrived as a whole is too long, and counts as unreadable.
 */
static oh_inquiry_end ask_node(
    oh_inquiry *inquiry, oh_exchange *exchange, const oh_buffer *question, inquirer *asks)
{
    const oh_call_terms terms = {.timeout_ms = inquiry->timeout_ms,
        .deadline_ns = inquiry->deadline_ns,
        .is_read_only = true,
        .goes_beyond = inquiry->node == inquiry->held_node};
    oh_peer peer = {.connections = oh_snapshot_connections(inquiry->snapshot, inquiry->node),
        .metered = oh_snapshot_metered(inquiry->snapshot, inquiry->node)};

    oh_exchange_make(exchange, peer, &inquiry->failure);
    oh_exchange_prepare(exchange, &terms, NULL);
    if (!oh_exchange_run(exchange, question->bytes, question->length)) {
        return OH_INQUIRY_FAILED;
    }
    oh_bytes answer = oh_exchange_unread(exchange);

    return end_of(inquiry,
        oh_exchange_is_complete(exchange) ? asks->read(asks, answer) : OH_LEARNT_UNREADABLE,
        answer);
}

static oh_inquiry_end ask_nodes(oh_inquiry *inquiry, const oh_buffer *question, inquirer *asks)
{
    oh_exchange *exchange = oh_call_zeroed(1, sizeof *exchange);
    oh_inquiry_end end = OH_INQUIRY_FAILED;

    if (!exchange || question->is_broken) {
        oh_failure_set_no_memory(&inquiry->failure, OH_OUTCOME_NOT_SENT);
        oh_call_release(exchange);
        return end;
    }
    for (uint32_t left = inquiry->snapshot->masters_count; left > 0; left--) {
        end = ask_node(inquiry, exchange, question, asks);
        oh_exchange_finish(exchange);
        oh_exchange_end(exchange);
        if (end != OH_INQUIRY_FAILED || left == 1 || oh_surroundings.is_ending() ||
            inquiry->failure.kind != OH_ERROR_NODE_DOWN) {
            break;
        }
        memset(exchange, 0, sizeof *exchange);
        inquiry->node = oh_snapshot_next(inquiry->snapshot, inquiry->node);
    }
    oh_call_release(exchange);
    return end;
}

/* Counts the snapshot, so that it stays even if the program serves an interrupt during the wait. */
static oh_inquiry_end ask(oh_inquiry *inquiry, const oh_buffer *question, inquirer *asks)
{
    if (inquiry->timeout_ms && !inquiry->deadline_ns) {
        inquiry->deadline_ns = oh_clock_now_ns() + inquiry->timeout_ms * UINT64_C(1000000);
    }
    inquiry->snapshot->references++;
    oh_inquiry_end end = ask_nodes(inquiry, question, asks);
    oh_snapshot_release(inquiry->snapshot);
    if (end == OH_INQUIRY_FAILED && inquiry->failure.outcome != OH_OUTCOME_NOT_SENT) {
        /* Only the question was sent. */
        inquiry->failure.outcome = OH_OUTCOME_NOT_SENT;
        inquiry->failure.advice = OH_REASON_AGAIN;
    }
    return end;
}

/* ---- What a command is ---- */

typedef struct what_it_is {
    inquirer inquirer;
    const oh_inquiry *inquiry;
    const oh_bytes *words;
    size_t count;
    size_t names_count;
    oh_learnt *learnt;
} what_it_is;

static void keep(const what_it_is *it)
{
    oh_kept_commands_add(
        oh_segment_commands(), it->inquiry->snapshot->identity, it->learnt, oh_clock_now_ms());
}

static bool find_kept(const what_it_is *it)
{
    char name[OH_COMMAND_NAME_BYTES];

    return oh_command_name(name, it->words, it->names_count) &&
           oh_kept_commands_find(oh_segment_commands(), it->inquiry->snapshot->identity, name,
               oh_clock_now_ms(), it->learnt);
}

/* True if the first words cannot be a name, so that no node has the command. */
static bool is_nameless(const what_it_is *it)
{
    char name[OH_COMMAND_NAME_BYTES];

    return !oh_command_name(name, it->words, it->names_count);
}

/* True if the first word has subcommands, so that the subcommand is looked up next. */
static bool goes_on(what_it_is *it)
{
    if (it->names_count == 2 || it->count == 1 || it->learnt->kind != OH_LEARNT_CONTAINER) {
        return false;
    }
    it->names_count = 2;
    return true;
}

static oh_learnt_answer read_description(inquirer *asks, oh_bytes answer)
{
    what_it_is *it = (what_it_is *)asks;
    oh_learnt_answer read;

    do {
        read = oh_learnt_read(answer, it->words, it->names_count, it->learnt);
        if (read == OH_LEARNT_READ) {
            keep(it);
        }
    } while (read == OH_LEARNT_READ && goes_on(it) && !is_nameless(it));
    if (is_nameless(it)) {
        memset(it->learnt, 0, sizeof *it->learnt);
    }
    return read;
}

static oh_inquiry_end ask_what_it_is(oh_inquiry *inquiry, what_it_is *it)
{
    oh_buffer question = {NULL};
    oh_resp_sink sink = oh_buffer_sink(&question);

    oh_resp_put_list(sink, 3);
    oh_resp_put_text(sink, "COMMAND");
    oh_resp_put_text(sink, "INFO");
    oh_resp_put_word(sink, it->words[0]);
    oh_inquiry_end end = ask(inquiry, &question, &it->inquirer);
    oh_buffer_free(&question);
    return end;
}

/* True if the table says that the first word needs a subcommand. */
static bool is_container(const oh_bytes *words)
{
    char name[OH_COMMAND_NAME_BYTES];
    const oh_command *command =
        oh_command_name(name, words, 1) ? oh_command_named(name, strlen(name)) : NULL;

    return command && command->is_container;
}

oh_inquiry_end oh_inquiry_describe(oh_inquiry *inquiry, const oh_bytes *words, size_t count,
    oh_learnt *learnt, size_t *names_count)
{
    what_it_is it = {{read_description}, inquiry, words, count,
        count > 1 && is_container(words) ? 2 : 1, learnt};
    oh_inquiry_end end = OH_INQUIRY_ANSWERED;
    char name[OH_COMMAND_NAME_BYTES];

    *names_count = 1;
    if (oh_command_name(name, words, 1) && oh_learnt_is_refused(name, learnt)) {
        return end;
    }
    bool is_kept = find_kept(&it);
    if (is_kept && goes_on(&it)) {
        is_kept = find_kept(&it);
    }
    if (!is_kept && is_nameless(&it)) {
        memset(learnt, 0, sizeof *learnt);
    } else if (!is_kept) {
        end = ask_what_it_is(inquiry, &it);
    }
    *names_count = it.names_count;
    return end;
}

/* ---- Where its keys are ---- */

typedef struct where_keys_are {
    inquirer inquirer;
    const oh_bytes *words;
    size_t count;
    oh_key_position *positions;
    size_t *found;
} where_keys_are;

static oh_learnt_answer read_keys(inquirer *asks, oh_bytes answer)
{
    const where_keys_are *it = (where_keys_are *)asks;

    return oh_learnt_find_keys(answer, it->words, it->count, it->positions, it->found);
}

oh_inquiry_end oh_inquiry_find_keys(oh_inquiry *inquiry, const oh_bytes *words, size_t count,
    oh_key_position *positions, size_t *found)
{
    where_keys_are it = {{read_keys}, words, count, positions, found};
    oh_buffer question = {NULL};
    oh_resp_sink sink = oh_buffer_sink(&question);

    oh_resp_put_list(sink, count + 2);
    oh_resp_put_text(sink, "COMMAND");
    oh_resp_put_text(sink, "GETKEYS");
    for (size_t i = 0; i < count; i++) {
        oh_resp_put_word(sink, words[i]);
    }
    oh_inquiry_end end = ask(inquiry, &question, &it.inquirer);
    oh_buffer_free(&question);
    return end;
}
