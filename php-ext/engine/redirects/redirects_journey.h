/*
 * A journey: the commands of one request that were redirected, until each has a reply. The inside of room redirects,
 * between who says where they go (redirects_follow) and who sends them there (redirects_round).
 */
#ifndef OH_ENGINE_REDIRECTS_JOURNEY_H
#define OH_ENGINE_REDIRECTS_JOURNEY_H

#include "engine/base/buffer.h"
#include "engine/cluster/cluster.h"
#include "engine/exchange/exchange_wait.h"

/* A command on its way to a reply. */
typedef struct oh_errand {
    const uint8_t *command;
    size_t command_length;
    oh_mended *reply;     /* The last one; an error as long as it is not done. */
    uint32_t hops;        /* How often it was sent on. */
    uint32_t tries;       /* How often it was sent once more. */
    uint32_t slot;        /* OH_SLOTS_COUNT: of no key. */
    uint32_t node;        /* Where it was last, or goes next; in the map of the journey. */
    oh_bytes script;      /* The next node has lost it: it goes in front. No bytes: none. */
    bool asks;            /* The next node wants ASKING in front of it. */
    bool has_moved;       /* The next node is said to have the slot. */
    bool goes_home;       /* It goes to whoever has the slot by then. */
    bool is_exec;         /* It ends a transaction of the pipeline. */
    bool is_done;
    bool is_sent;         /* In this round; so its reply is a new one. */
} oh_errand;

/* One write of a round. */
typedef struct oh_detour {
    uint32_t node;
    oh_buffer request;
    oh_failure failure;
    oh_exchange exchange;
} oh_detour;

typedef struct oh_journey {
    oh_exchange *exchange;
    oh_cluster *cluster;
    oh_snapshot *map;
    oh_errand *errands;
    uint32_t count;
    bool is_fresh;        /* The map was asked for since the last replies came. */
    uint32_t *going;      /* By slot: where its commands go in this round; OH_NOWHERE. */
    oh_detour *detours;
    uint32_t detours_count;
    oh_flight *flight;
} oh_journey;

/* Makes a reply of a command the one that it has. False: there is no memory; the exchange has failed. */
bool oh_journey_reply(oh_journey *journey, oh_mended *reply, oh_bytes bytes);

/* One round: what is not done is sent, unless it must wait for a later one, and has a new reply. False: the exchange has failed. */
bool oh_journey_go_round(oh_journey *journey);

#endif
