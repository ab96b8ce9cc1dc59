/*
 * The inside of room session: the save path, the client, the lock.
 */
#ifndef OH_PHP_SESSION_INTERNAL_H
#define OH_PHP_SESSION_INTERNAL_H

#include "php_onehop.h"

typedef struct oh_session {
    zend_object *redis; /* An OneHop\Redis. */
    zend_string *prefix;
    zend_string *lock_key; /* NULL: nothing is locked. */
    zend_string
        *lock_secret; /* Identifies the holder, so that no other process unlocks it by mistake. */
} oh_session;

/* What session.save_path says. */
typedef struct oh_save_path {
    zend_string *pool;
    zend_string *config; /* NULL: onehop.config. */
    zend_string *prefix;
} oh_save_path;

/* Reads it. False: a warning says what is wrong. The result must be freed in both cases. */
bool oh_save_path_read(oh_save_path *path, const char *text);
void oh_save_path_free(oh_save_path *path);

/*
 * Calls a method of the client. It takes over the arguments; the caller owns the reply. False: a
 * warning says why, and there is no reply.
 */
bool oh_session_ask(
    oh_session *session, const char *method, uint32_t count, zval *arguments, zval *reply);

/* The same where only the success matters. */
zend_result oh_session_tell(
    oh_session *session, const char *method, uint32_t count, zval *arguments);

/* An OneHop\Redis. NULL: a warning says why. */
zend_object *oh_session_client(const oh_save_path *path);

/*
 * Locks the session with this key if redis.session.locking_enabled. False: another process holds
 * it.
 */
bool oh_session_lock(oh_session *session, const zend_string *key);

/* True if the session may still be written: the lock has not expired. */
bool oh_session_is_locked(oh_session *session);

void oh_session_unlock(oh_session *session);

#endif
