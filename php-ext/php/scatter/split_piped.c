/*
 * A command cut into more parts than there are nodes, because a Redis Cluster wants the keys of one command in one slot.
 * The parts of each node are queued in phpredis' own pipeline mode, on a lane that nobody else is given meanwhile: so
 * a node gets one write, however many slots it has, and all nodes are written to at once.
 */
#include "php_onehop.h"

#include "zend_exceptions.h"

#include "php/exception/exception.h"
#include "php/client/client.h"
#include "php/scatter/split_piped.h"

/* The pipeline of one node. */
typedef struct oh_pipe {
    oh_lane *lane; /* NULL: it has no part yet. */
    uint32_t share; /* Which of the shares it becomes. */
    uint32_t queued, dealt;
} oh_pipe;

bool oh_split_is_piped(const oh_client *client, const oh_split *split)
{
    /* Parts of their own node each need no pipeline: then there are few of them. */
    for (uint32_t i = 0; split->keys_count > 0 && client->snapshot->cluster && i < split->parts_count; i++) {
        for (uint32_t j = i + 1; j < split->parts_count; j++) {
            if (split->parts[i].node == split->parts[j].node) {
                return true;
            }
        }
    }
    return false;
}

/* ---- Queueing ---- */

static bool open_pipe(oh_client *client, oh_pipe *pipe, uint32_t node)
{
    if (!(pipe->lane = oh_lane_take(client, node))) {
        return false;
    }
    pipe->lane->is_reserved = true;
    bool is_open = oh_lane_tell(pipe->lane, "pipeline");
    if (!is_open && !EG(exception)) {
        zend_throw_error(NULL, "phpredis could not begin a pipeline");
    }
    return is_open;
}

static bool queue(oh_client *client, oh_pipe *pipe, const oh_split *split, const oh_part *part)
{
    zval answer;

    if (!pipe->lane && !open_pipe(client, pipe, part->node)) {
        return false;
    }
    ZVAL_UNDEF(&answer);
    oh_lane_call(pipe->lane, split->method->original, part->count, part->arguments, &answer);
    bool is_queued = Z_TYPE(answer) == IS_OBJECT;
    zval_ptr_dtor(&answer);
    pipe->queued += is_queued;
    if (!is_queued && !EG(exception)) {
        oh_failure_throw_plain(OH_ERROR_UNSUPPORTED, "call it for the keys of one slot at a time",
            "phpredis does not queue %s() as it was called", ZSTR_VAL(split->method->original->common.function_name));
    }
    return is_queued && !EG(exception);
}

/* phpredis forgets what it has queued: it must be called for that, which Zend does only while nothing is thrown. */
static void discard(oh_pipe *pipe)
{
    zend_object *pending = EG(exception);
    const zend_op *opline = EG(opline_before_exception);

    EG(exception) = NULL;
    oh_lane_tell(pipe->lane, "discard");
    if (pending) {
        zend_clear_exception();
        EG(exception) = pending;
        EG(opline_before_exception) = opline;
    }
}

/* ---- Dealing ---- */

/* The reply of a part, or the failure of its node. */
static void deal(oh_client *client, oh_pipe *pipe, oh_share *share, oh_share *part)
{
    bool is_whole = Z_TYPE(share->reply) == IS_ARRAY && zend_hash_num_elements(Z_ARRVAL(share->reply)) == pipe->queued;
    oh_failure failure;

    part->lane = pipe->lane;
    ZVAL_UNDEF(&part->reply);
    part->failure = NULL;
    if (!share->failure && !is_whole) {
        oh_node node = oh_topology_node(client->snapshot->topology, pipe->lane->node);

        oh_failure_set(&failure, OH_ERROR_PROTOCOL_VIOLATION, OH_OUTCOME_ANSWERED, "report this as a bug",
            "phpredis did not give %u replies for as many commands", (unsigned)pipe->queued);
        share->failure = oh_failure_exception(&failure, &node, client->snapshot->pool->name.bytes, NULL);
    }
    if (share->failure) {
        GC_ADDREF(share->failure);
        part->failure = share->failure;
        return;
    }
    zval *reply = zend_hash_index_find(Z_ARRVAL(share->reply), pipe->dealt++);
    ZVAL_COPY_VALUE(&part->reply, reply);
    ZVAL_NULL(reply);
}

static bool run(oh_client *client, oh_pipe *pipes, const oh_split *split, oh_share *parts)
{
    uint32_t count = 0;
    oh_share *shares = safe_emalloc(client->snapshot->nodes_count, sizeof *shares, 0);

    for (uint32_t node = 0; node < client->snapshot->nodes_count; node++) {
        if (pipes[node].lane) {
            shares[count] = (oh_share){.lane = pipes[node].lane,
                .function = oh_phpredis_method("exec"),
                .terms = {.is_read_only = split->terms.is_read_only}};
            pipes[node].share = count++;
        }
    }
    bool is_done = oh_scatter_run(shares, count);
    for (uint32_t i = 0; is_done && i < split->parts_count; i++) {
        oh_pipe *pipe = &pipes[split->parts[i].node];

        deal(client, pipe, &shares[pipe->share], &parts[i]);
    }
    if (is_done) {
        oh_scatter_free(shares, count);
    }
    efree(shares);
    return is_done;
}

bool oh_split_run_piped(oh_client *client, const oh_split *split, oh_share *parts)
{
    uint32_t nodes_count = client->snapshot->nodes_count;
    oh_pipe *pipes = ecalloc(nodes_count, sizeof *pipes);
    bool is_queued = true;

    for (uint32_t i = 0; is_queued && i < split->parts_count; i++) {
        is_queued = queue(client, &pipes[split->parts[i].node], split, &split->parts[i]);
    }
    bool is_done = is_queued && run(client, pipes, split, parts);
    for (uint32_t node = 0; node < nodes_count; node++) {
        if (pipes[node].lane) {
            pipes[node].lane->is_reserved = false;
            if (!is_queued) {
                discard(&pipes[node]);
            }
        }
    }
    efree(pipes);
    return is_done;
}
