/*
 * Ejection: the ring for placement while nodes are ejected, in server pools with auto_eject_hosts.
 *
 *     health of the nodes (the host's) ──► ring of this process, without ejected nodes ──► clients
 *               ▲
 *     checked again if the count of changes is new, or a node may return: one load for a call
 *
 * Each process builds its own ring from the health that all of them share. No process waits for
 * another.
 *
 * Implements spec/health, "Ejecting": rebuild.
 */
#ifndef OH_ENGINE_EJECTION_H
#define OH_ENGINE_EJECTION_H

#include "engine/snapshot/snapshot.h"

/*
 * Returns the current ring for placement, rebuilt if nodes left or may return. NULL means the
 * topology of the snapshot. A caller that uses the ring after the next call of this function must
 * hold it. If there is no memory for a new ring, the old one stays.
 */
oh_live_ring *oh_ejection_follow(oh_snapshot *snapshot);

#endif
