/*
 * Caller: short functions for what a program does with the engine. It opens a server pool, sends
 * commands to its nodes, and reads the replies.
 */
#ifndef OH_TESTS_CALLER_H
#define OH_TESTS_CALLER_H

#include "engine/exchange/exchange.h"
#include "engine/source/source.h"

#define CALLER_REPLY_BYTES 4096

/* One exchange with one node, and its reply or failure. */
typedef struct caller {
    oh_exchange exchange;
    oh_failure failure;
    char reply[CALLER_REPLY_BYTES]; /* As much of it as fits, with a 0 at its end. */
    size_t length;                  /* Of the whole reply. */
} caller;

/* Sets the directory of the configuration file, and counts the engine's warnings. */
void caller_live_in(const char *directory);

/*
 * Writes the configuration that caller_open reads. It makes no call that faults.c wraps, so it
 * never fails.
 */
void caller_configure(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Opens the server pool of that name, for the caller to release. NULL and a failure if there is
 * none.
 */
oh_snapshot *caller_open(const char *pool, oh_failure *failure);

/*
 * Appends a command to a request of `length` bytes. Spaces separate the words of the command.
 * Returns the new length of the request.
 */
size_t caller_write(char *request, size_t length, const char *command);

/* Begins an exchange with the node of that number. False and a failure if there is no memory. */
bool caller_begin(caller *it, oh_snapshot *snapshot, uint32_t number);

/*
 * caller_ask sends one command, caller_send a request of one or more commands. True if every reply
 * has arrived, even if it is an error.
 */
bool caller_ask(caller *it, const char *command, const oh_call_terms *terms);
bool caller_send(caller *it, const char *request, size_t length, const oh_call_terms *terms);

/* Reads the replies to a request. False if some did not arrive. */
bool caller_read(caller *it, const char *request, size_t length);
void caller_end(caller *it);

/*
 * One command in an exchange of its own. An unexpected reply fails the test. False and a failure if
 * there is no reply.
 */
bool caller_gets(oh_snapshot *snapshot, uint32_t number, const char *command, const char *reply,
    oh_failure *failure);

/* Ends the engine in this thread. Afterwards it holds no memory and no connection. */
void caller_leave(void);

/* Returns how many warnings the engine has given since the last call of this function. */
unsigned caller_warnings(void);

/* A number for a key; no earlier key had it. */
unsigned caller_number(void);

#endif
