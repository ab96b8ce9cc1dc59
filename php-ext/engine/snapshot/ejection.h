/*
 * Ejection: what keys are placed by while nodes are out of the ring, for server pools with
 * auto_eject_hosts.
 *
 *     health of each node (the host's) ──► ring of this process: the topology without those that are out ──► clients
 *               ▲
 *     a count of changes, and the instant at which the next node may return, say when to look again: one load for a call
 *
 * Every process builds for itself, from what all of them know; nobody waits for anybody.
 *
 * Implements spec/health, "Ejecting": rebuild.
 */
#ifndef OH_ENGINE_EJECTION_H
#define OH_ENGINE_EJECTION_H

#include "engine/snapshot/snapshot.h"

/*
 * The ring to place by now, built anew if nodes left or may return; NULL: the topology of the
 * snapshot. To be held by whoever keeps it longer than until the next call of this. Without memory
 * for a new one the old one stays.
 */
oh_live_ring *oh_ejection_follow(oh_snapshot *snapshot);

#endif
