/*
 * As long as every reply has the expected type, phpredis is not involved.
 */
#include "php/base/zend.h"

#include "php/client/client.h"
#include "php/exception/exception.h"
#include "php/phpredis/express_call.h"

/* ---- Commands for phpredis ---- */

static void call_phpredis(
    oh_node_client *node_client, const oh_express_row *row, oh_values *commands, zval *return_value)
{
    const zend_string *prefix = node_client->client->prefix;
    uint32_t count;
    zval *arguments = oh_express_arguments(row, commands, prefix ? ZSTR_LEN(prefix) : 0, &count);

    ZVAL_UNDEF(return_value);
    oh_node_client_call(
        node_client, oh_phpredis_method(row->method), count, arguments, return_value);
    oh_express_free_arguments(arguments, count);
}

static bool queue(oh_node_client *node_client, const oh_express_row *row, oh_values *commands)
{
    zval answer;

    call_phpredis(node_client, row, commands, &answer);
    bool is_queued = Z_TYPE(answer) == IS_OBJECT;
    zval_ptr_dtor(&answer);
    return is_queued && !EG(exception);
}

/* Puts phpredis into pipeline mode and queues the commands from `first` on. */
static bool queue_from(oh_node_client *node_client, uint32_t first, oh_values commands)
{
    const oh_express *express = &node_client->express;

    if (oh_node_client_invoke(node_client, "pipeline") != IS_OBJECT) {
        return false;
    }
    for (uint32_t i = first; i < express->count; i++) {
        if (!queue(node_client, express->rows[i], &commands)) {
            return false;
        }
    }
    return true;
}

/* True if one of the commands from `first` on has a promise. */
static bool has_promise(const oh_express *express, uint32_t first)
{
    for (uint32_t i = first; i < express->count; i++) {
        if (express->rows[i]->reply == OH_EXPRESS_FIELDS ||
            express->rows[i]->reply == OH_EXPRESS_MAP) {
            return true;
        }
    }
    return false;
}

bool oh_express_call_hand_over(oh_node_client *node_client)
{
    if (has_promise(&node_client->express, 0)) {
        node_client->queue.terms.promise = &oh_promise_of_request;
    }
    bool is_queued = queue_from(node_client, 0, oh_express_commands(&node_client->express));

    node_client->queue.is_express = false;
    oh_express_clear(&node_client->express);
    if (!is_queued && !EG(exception)) {
        oh_failure_throw_plain(OH_SAY_NOT_QUEUED, "pipeline");
    }
    return is_queued;
}

/* ---- Replies for phpredis ---- */

static void drop_command(oh_far_end *far_end, const char *bytes, size_t length)
{
}

static size_t read_reply(oh_far_end *far_end, char *bytes, size_t size)
{
    oh_transport *transport = (oh_transport *)((char *)far_end - offsetof(oh_transport, replay));

    return oh_exchange_read(&transport->exchange, bytes, size);
}

static void begin_replay(oh_node_client *node_client)
{
    node_client->transport->replay = (oh_far_end){drop_command, read_reply};
    node_client->transport->far_end = &node_client->transport->replay;
}

static void end_replay(oh_node_client *node_client)
{
    if (node_client->transport) { /* phpredis has not closed its stream. */
        node_client->transport->far_end = NULL;
    }
}

/* False if phpredis must not read the replies from `first` on. The exchange has failed then. */
static bool may_replay(oh_node_client *node_client, uint32_t first, oh_values commands)
{
    oh_exchange *exchange = &node_client->transport->exchange;

    if (!has_promise(&node_client->express, first)) {
        return true;
    }
    if (!oh_exchange_receive_all(exchange)) {
        return false;
    }
    oh_bytes unread = oh_exchange_unread(exchange);
    if (!oh_promise_is_kept(commands, oh_values_of(unread.bytes, unread.length))) {
        oh_exchange_refuse_form(exchange);
        return false;
    }
    return true;
}

/* Lets phpredis answer the commands from `first` on. Adds its replies to the list. */
static void replay_from(
    oh_node_client *node_client, uint32_t first, oh_values commands, HashTable *replies)
{
    zval rest = {.value.arr = NULL}, *reply;

    begin_replay(node_client);
    if (queue_from(node_client, first, commands)) {
        oh_node_client_call(node_client, oh_phpredis_method("exec"), 0, NULL, &rest);
    }
    end_replay(node_client);
    if (Z_TYPE(rest) == IS_ARRAY) {
        ZEND_HASH_FOREACH_VAL(Z_ARRVAL(rest), reply)
        {
            Z_TRY_ADDREF_P(reply);
            zend_hash_next_index_insert(replies, reply);
        }
        ZEND_HASH_FOREACH_END();
    }
    zval_ptr_dtor(&rest);
}

/* ---- Reading ---- */

/* Waits for the first replies of commands that were started. Returns false if there are none. */
static bool await(oh_node_client *node_client)
{
    return node_client->transport && oh_exchange_conclude(&node_client->transport->exchange);
}

/* A reader of the replies of one exchange, in its memory. */
typedef struct oh_express_reader {
    oh_node_client *node_client;
    oh_exchange *exchange;
    const char *begin, *at, *end;
} oh_express_reader;

static void refresh_view(oh_express_reader *reader)
{
    oh_bytes unread = oh_exchange_unread(reader->exchange);

    reader->begin = reader->at = (const char *)unread.bytes;
    reader->end = reader->begin + unread.length;
}

static void begin_reading(oh_express_reader *reader, oh_node_client *node_client)
{
    reader->node_client = node_client;
    reader->exchange = &node_client->transport->exchange;
    refresh_view(reader);
}

/* Releases the bytes before `at`, which have been read. */
static void let_go(oh_express_reader *reader)
{
    oh_exchange_skip(reader->exchange, (size_t)(reader->at - reader->begin));
    reader->node_client->express_received += (size_t)(reader->at - reader->begin);
    reader->begin = reader->at;
}

/* Reads one reply, and waits for the rest of it. False if it is not read here. */
static zend_always_inline bool read_reply_at(
    oh_express_reader *reader, const oh_express_row *row, oh_values command, zval *value)
{
    const char *next;

    while (UNEXPECTED(!(next = oh_express_read(row, command, reader->at, reader->end, value)))) {
        let_go(reader);
        if (!oh_exchange_receive_more(reader->exchange)) {
            return false;
        }
        refresh_view(reader);
    }
    reader->at = next;
    return true;
}

/*
 * Goes to the command with this number. Only OH_EXPRESS_FIELDS needs that, for the names of fields.
 */
static void skip_to(oh_values *commands, uint32_t number, uint32_t *reached)
{
    for (; *reached < number; ++*reached) {
        oh_value_skip_command(commands);
    }
}

/* Reads replies into the list as far as the express lane goes. Returns how many. */
static uint32_t read_some(const oh_express *express, oh_express_reader *reader, HashTable *replies)
{
    oh_values commands = oh_express_commands(express);
    uint32_t i, reached = 0;

    zend_hash_real_init_packed(replies);
    ZEND_HASH_FILL_PACKED(replies)
    {
        for (i = 0; i < express->count; i++) {
            if (UNEXPECTED(express->rows[i]->reply == OH_EXPRESS_FIELDS)) {
                skip_to(&commands, i, &reached);
            }
            if (UNEXPECTED(!read_reply_at(reader, express->rows[i], commands, __fill_val))) {
                break;
            }
            ZEND_HASH_FILL_NEXT();
        }
    }
    ZEND_HASH_FILL_END();
    let_go(reader);
    return i;
}

/* Lets phpredis run the queue, because a script has closed the stream. */
static void exec_by_phpredis(oh_node_client *node_client, zval *return_value)
{
    queue_from(node_client, 0, oh_express_commands(&node_client->express));
    oh_node_client_call(node_client, oh_phpredis_method("exec"), 0, NULL, return_value);
}

/* `count` replies are in the list. The rest is left to phpredis, unless the exchange has failed. */
static void finish_exec(oh_node_client *node_client, uint32_t count, HashTable *replies)
{
    const oh_express *express = &node_client->express;
    uint32_t reached = 0;

    if (!oh_exchange_has_failed(&node_client->transport->exchange)) {
        oh_values commands = oh_express_commands(express);

        skip_to(&commands, count, &reached);
        node_client->express_sent += (size_t)((const char *)commands.at - express->bytes);
        if (may_replay(node_client, count, commands)) {
            replay_from(node_client, count, commands, replies);
        }
    }
}

void oh_express_call_exec(oh_node_client *node_client, bool is_started, zval *return_value)
{
    const oh_express *express = &node_client->express;
    oh_express_reader reader;

    if (UNEXPECTED(!is_started)) {
        exec_by_phpredis(node_client, return_value);
        return;
    }
    ZVAL_NULL(return_value);
    if (!await(node_client)) {
        return;
    }
    array_init_size(return_value, express->count);
    begin_reading(&reader, node_client);
    uint32_t count = read_some(express, &reader, Z_ARRVAL_P(return_value));
    if (EXPECTED(count == express->count)) {
        node_client->express_sent += express->length;
    } else {
        finish_exec(node_client, count, Z_ARRVAL_P(return_value));
    }
}

/* Lets phpredis answer the only command, unless the exchange has failed. */
static void replay_one(oh_node_client *node_client, zval *return_value)
{
    oh_values command = oh_express_commands(&node_client->express);

    ZVAL_NULL(return_value); /* A value that was read in part has been released. */
    if (!oh_exchange_has_failed(&node_client->transport->exchange) &&
        may_replay(node_client, 0, command)) {
        begin_replay(node_client);
        call_phpredis(node_client, node_client->express.rows[0], &command, return_value);
        end_replay(node_client);
    }
}

void oh_express_call_one(oh_node_client *node_client, bool is_started, zval *return_value)
{
    const oh_express *express = &node_client->express;
    oh_values command = oh_express_commands(express);
    oh_express_reader reader;

    if (UNEXPECTED(!is_started)) {
        call_phpredis(node_client, express->rows[0], &command, return_value);
        return;
    }
    ZVAL_NULL(return_value);
    if (!await(node_client)) {
        return;
    }
    begin_reading(&reader, node_client);
    if (EXPECTED(read_reply_at(&reader, express->rows[0], command, return_value))) {
        let_go(&reader);
        node_client->express_sent += express->length;
    } else {
        replay_one(node_client, return_value);
    }
}

/* ---- Split calls ---- */

/* Reads one reply like read_reply_at, into the values of a split. */
static zend_always_inline bool read_group_at(oh_express_reader *reader, const oh_express_row *row,
    const oh_express_split *split, const oh_express_group *group)
{
    const char *next;

    while (
        UNEXPECTED(!(next = oh_express_read_group(row, split, group, reader->at, reader->end)))) {
        let_go(reader);
        if (!oh_exchange_receive_more(reader->exchange)) {
            return false;
        }
        refresh_view(reader);
    }
    reader->at = next;
    return true;
}

/* Reads replies as far as the express lane goes. Returns how many. */
static uint32_t read_groups(oh_node_client *node_client)
{
    const oh_express *express = &node_client->express;
    const oh_express_split *split = express->node_groups->split;
    uint32_t group = express->node_groups->first, count = 0;
    oh_express_reader reader;

    begin_reading(&reader, node_client);
    while (count < express->count &&
           read_group_at(&reader, express->rows[0], split, &split->groups[group])) {
        group = split->groups[group].next;
        count++;
    }
    if (UNEXPECTED(count < express->count) && !oh_exchange_has_failed(reader.exchange) &&
        oh_express_is_misfit(&split->groups[group], reader.at, reader.end)) {
        oh_exchange_refuse_form(reader.exchange);
    }
    let_go(&reader);
    return count;
}

/* Moves the replies of a node's first groups into a list. */
static void list_groups(const oh_express_node_groups *node_groups, const oh_express_row *row,
    uint32_t count, zval *list)
{
    uint32_t group = node_groups->first;
    zval reply;

    array_init_size(list, count);
    for (; count > 0; count--, group = node_groups->split->groups[group].next) {
        oh_express_take_group(row, node_groups->split, &node_groups->split->groups[group], &reply);
        zend_hash_next_index_insert(Z_ARRVAL_P(list), &reply);
    }
}

void oh_express_call_groups(oh_node_client *node_client, bool is_started, zval *return_value)
{
    const oh_express *express = &node_client->express;
    oh_express_node_groups *node_groups = express->node_groups;
    oh_values commands = oh_express_commands(express);

    if (UNEXPECTED(!is_started)) {
        if (node_groups->is_alone) {
            call_phpredis(node_client, express->rows[0], &commands, return_value);
        } else {
            exec_by_phpredis(node_client, return_value);
        }
        return;
    }
    ZVAL_NULL(return_value);
    if (!await(node_client)) {
        return;
    }
    uint32_t count = read_groups(node_client);
    if (EXPECTED(count == express->count)) {
        node_groups->is_read = true;
        node_client->express_sent += express->length;
    } else if (node_groups->is_alone) {
        replay_one(node_client, return_value);
    } else {
        list_groups(node_groups, express->rows[0], count, return_value);
        finish_exec(node_client, count, Z_ARRVAL_P(return_value));
    }
}

void oh_express_take_groups(
    const oh_express_node_groups *node_groups, const oh_express_row *row, zval *return_value)
{
    const oh_express_group *groups = node_groups->split->groups;
    uint32_t count = 0;

    if (node_groups->is_alone) {
        oh_express_take_group(row, node_groups->split, &groups[node_groups->first], return_value);
        return;
    }
    for (uint32_t group = node_groups->first; group != OH_EXPRESS_END; group = groups[group].next) {
        count++;
    }
    list_groups(node_groups, row, count, return_value);
}
