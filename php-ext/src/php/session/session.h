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

/* Registers the handler with PHP. */
zend_result oh_session_register(void);

#endif
