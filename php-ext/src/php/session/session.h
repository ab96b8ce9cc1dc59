/*
 * Session: session.save_handler = onehop, PHP's sessions on the nodes of a server pool.
 *
 * The handler is a client like any other: it calls methods of its own OneHop\Redis. So sessions are
 * placed, sent, bounded by a deadline and tried again like any command. Key names, time to live,
 * lock and the redis.session.* settings are those of phpredis' own handler (of phpredis 6 where
 * versions differ). Each handler can read the other's sessions, written directly or through
 * nutcracker, and respects the other's locks.
 *
 *     session.save_handler = onehop
 *     session.save_path = alpha    ; a server pool of onehop.config, or:
 *     session.save_path = "pool=alpha&config=/etc/nutcracker.yml&prefix=PHPREDIS_SESSION:"
 *
 * A failure becomes a warning with the exception's message, because PHP may call a handler when no
 * code can catch exceptions any more. The session function then returns false.
 *
 *     open ─► (create_sid | validate_sid) ─► read: lock, GET ─► write: still locked? SETEX
 *          ─► close: unlock
 */
#ifndef OH_PHP_SESSION_H
#define OH_PHP_SESSION_H

#include "php/base/zend.h"
#include "php/client/client.h"

/* Registers the handler with PHP. */
zend_result oh_session_register(void);

/* ---- Internal to the room: the save path, the client, the lock ---- */

typedef struct oh_session {
    zend_object *redis; /* A OneHop\Redis. */
    zend_string *prefix;
    zend_string *lock_key; /* NULL if the session is not locked. */
    /* Identifies the holder, so that no other process unlocks it by mistake. */
    zend_string *lock_secret;
} oh_session;

/* What session.save_path says. */
typedef struct oh_save_path {
    zend_string *pool;
    zend_string *config; /* NULL means onehop.config. */
    zend_string *prefix;
    oh_database database; /* If none is chosen, the server pool's is used. */
} oh_save_path;

/*
 * Parses a save path. Returns false and warns if it is invalid. The caller frees the result in both
 * cases.
 */
bool oh_save_path_read(oh_save_path *path, const char *text);
void oh_save_path_free(oh_save_path *path);

/*
 * Calls a method of the client. Takes over the arguments; the caller owns the reply. On failure
 * returns false, without a reply, and warns.
 */
bool oh_session_ask(
    oh_session *session, const char *method, uint32_t count, zval *arguments, zval *reply);

/* Like oh_session_ask, without returning the reply. */
zend_result oh_session_tell(
    oh_session *session, const char *method, uint32_t count, zval *arguments);

/* Makes a OneHop\Redis. On failure returns NULL and warns. */
zend_object *oh_session_client(const oh_save_path *path);

/*
 * Locks the session with this key if redis.session.locking_enabled is set. Returns false if it
 * could not get the lock.
 */
bool oh_session_lock(oh_session *session, const zend_string *key);

/* True if the session may be written: locking is off, or the lock has not expired. */
bool oh_session_is_locked(oh_session *session);

void oh_session_unlock(oh_session *session);

#endif
