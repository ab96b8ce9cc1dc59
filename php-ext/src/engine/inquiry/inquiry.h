/*
 * Inquiry: asks a node for the meaning of a command that the table does not hold.
 *
 *     command ─► kept by the host? ─► COMMAND INFO to one node ─► learnt command, kept
 *
 * So the first call of such a command costs the host one round trip. If only the node can find its
 * keys, each call is preceded by COMMAND GETKEYS. The caller's command is sent afterwards, within
 * the same deadline.
 *
 * Implements spec/route, "Commands that only the nodes know".
 */
#ifndef OH_ENGINE_INQUIRY_H
#define OH_ENGINE_INQUIRY_H

#include "core/command/learnt.h"

#include "engine/exchange/exchange.h"
#include "engine/snapshot/snapshot.h"

#define OH_INQUIRY_NO_NODE UINT32_MAX

typedef struct oh_inquiry {
    oh_snapshot *snapshot;
    /* Before: the node to ask first. Afterwards: the node that was asked last. */
    uint32_t node;
    uint32_t timeout_ms; /* The timeout of the call; 0 if it has none. */
    /* Set by the first question of the call; 0 before it, or without a timeout. */
    uint64_t deadline_ns;
    /*
     * The node to which the caller holds a connection, which may be the last one that pool_size
     * allows; or OH_INQUIRY_NO_NODE.
     */
    uint32_t held_node;
    oh_failure failure; /* Set after OH_INQUIRY_FAILED. */
    oh_quoted answer;   /* Set after OH_INQUIRY_REFUSED: what the node has said. */
} oh_inquiry;

typedef enum oh_inquiry_end {
    OH_INQUIRY_ANSWERED,
    OH_INQUIRY_REFUSED, /* The node does not answer the question. */
    OH_INQUIRY_FAILED   /* No node could be asked. */
} oh_inquiry_end;

/*
 * Finds out what the command of these words is. Its name must be one that a command can have;
 * `names_count` is the number of words in that name.
 */
oh_inquiry_end oh_inquiry_describe(oh_inquiry *inquiry, const oh_bytes *words, size_t count,
    oh_learnt *learnt, size_t *names_count);

/* Finds the keys of a command: see oh_learnt_find_keys. */
oh_inquiry_end oh_inquiry_find_keys(oh_inquiry *inquiry, const oh_bytes *words, size_t count,
    oh_key_position *positions, size_t *found);

#endif
