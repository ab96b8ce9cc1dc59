/*
 * A caller: what a program does with the engine, in words short enough for tests.
 */
#ifndef OH_TESTS_CALLER_H
#define OH_TESTS_CALLER_H

#include "engine/exchange/exchange.h"
#include "engine/source/source.h"

#define CALLER_REPLY_BYTES 4096

/* One exchange with one node, and what became of it. */
typedef struct caller {
    oh_exchange exchange;
    oh_failure failure;
    char reply[CALLER_REPLY_BYTES]; /* As much of it as fits, ended by a 0. */
    size_t length;                  /* Of all of it. */
} caller;

/* Where configurations and sockets lie. */
void caller_live_in(const char *directory);

/*
 * Writes the configuration that caller_open reads. None of its calls is one that faults.c has
 * wrapped.
 */
void caller_configure(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The server pool of that name, counted. NULL and a failure. */
oh_snapshot *caller_open(const char *pool, oh_failure *failure);

/* Appends a command, its words separated by blanks; returns the length of the whole request. */
size_t caller_write(char *request, size_t length, const char *command);

/* An exchange with the node of that number. False, and a failure, if there is no memory. */
bool caller_begin(caller *it, oh_snapshot *snapshot, uint32_t number);

/* One command, or some; true if every reply came, whatever it says. */
bool caller_ask(caller *it, const char *command, const oh_call_terms *terms);
bool caller_send(caller *it, const char *request, size_t length, const oh_call_terms *terms);

/* Reads the replies of what was sent. False: not all came. */
bool caller_read(caller *it, const char *request, size_t length);
void caller_end(caller *it);

/* A call with a caller of its own. The reply is compared; a wrong one ends the program's test. */
bool caller_gets(oh_snapshot *snapshot, uint32_t number, const char *command, const char *reply,
    oh_failure *failure);

/* The end of a thread: the engine has nothing any more. */
void caller_leave(void);

/* How many warnings the engine has given since the last call of this. */
unsigned caller_warnings(void);

/* A number for a key that no key had before. */
unsigned caller_number(void);

#endif
