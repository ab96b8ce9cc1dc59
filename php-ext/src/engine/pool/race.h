/*
 * Race: connects to one of several addresses of a host name. If one is silent for a short time (a
 * step), the next one is tried beside it. The first that connects is used.
 *
 * A caller polls one descriptor: an epoll set of all attempts and of a timer for the next step.
 * connection.c uses it. A name with only one address needs no race.
 *
 * Implements spec/topology/segment.md, "Names".
 */
#ifndef OH_ENGINE_RACE_H
#define OH_ENGINE_RACE_H

#include "engine/base/wait.h"
#include "engine/shared/resolver.h"

typedef struct oh_race oh_race;

/*
 * Begins with the first address that does not fail immediately. `addresses` stays the caller's, and
 * must live as long as the race. NULL if none can be tried, or for lack of memory; errno says why.
 */
oh_race *oh_race_begin(const oh_address *addresses, uint8_t count, uint32_t timeout_ms);

/* Becomes readable when the race can go on. */
int oh_race_descriptor(const oh_race *race);

/*
 * Goes on without waiting. READY: `socket` is connected to the address `winner`, and belongs to the
 * caller. BROKEN: all have failed, the last one with `error`.
 */
oh_progress oh_race_advance(oh_race *race, int *socket, uint8_t *winner, int *error);

/* Closes what is left of the race. */
void oh_race_end(oh_race *race);

/* A socket that has begun to connect, without waiting; -1 and errno if it failed immediately. */
int oh_race_connect(const oh_address *address);

#endif
