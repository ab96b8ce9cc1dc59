/*
 * The inside of room session: the save path, the client, the lock.
 */
#ifndef OH_PHP_SESSION_INTERNAL_H
#define OH_PHP_SESSION_INTERNAL_H

#include "php_onehop.h"

typedef struct oh_session {
    zend_object *redis; /* An OneHop\Redis. */
    zend_string *prefix;
    zend_string *lock_key;    /* NULL: nothing is locked. */
    zend_string *lock_secret; /* Who holds it: nobody else would unlock it by mistake. */
} oh_session;

/* What session.save_path says. */
typedef struct oh_save_path {
    zend_string *pool;
    zend_string *config; /* NULL: onehop.config. */
    zend_string *prefix;
} oh_save_path;

/* Reads it. False: a warning has said what is wrong. Either way it is to be freed. */
bool oh_save_path_read(oh_save_path *path, const char *text);
void oh_save_path_free(oh_save_path *path);

/*
 * Calls a method of the client. The arguments are given away, the reply is the caller's. False: a
 * warning has said why, and there is no reply.
 */
bool oh_session_ask(
    oh_session *session, const char *method, uint32_t count, zval *arguments, zval *reply);

/* The same where only the success matters. */
zend_result oh_session_tell(
    oh_session *session, const char *method, uint32_t count, zval *arguments);

/* An OneHop\Redis. NULL: a warning has said why. */
zend_object *oh_session_client(const oh_save_path *path);

/*
 * Locks a session of which this is the key, if redis.session.locking_enabled. False: somebody else
 * holds it.
 */
bool oh_session_lock(oh_session *session, const zend_string *key);

/* Whether what was locked may be written still: the lock may have expired. */
bool oh_session_is_locked(oh_session *session);

void oh_session_unlock(oh_session *session);

#endif
