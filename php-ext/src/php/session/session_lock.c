/*
 * phpredis' lock: a second key with a time to live, created with SET NX. Its value identifies the
 * holder.
 *
 * The lock uses rawCommand, because options of the client (compression) would change the value.
 */
#include "php/base/zend.h"

#include "core/base/clock.h"

#include "zend_ini.h"

#include "php/phpredis/phpredis.h"
#include "php/session/session.h"

#define LOCK_SUFFIX "_LOCK"
#define HOST_NAME_BYTES_MAX 256

static const char unlock_script[] = "if redis.call(\"get\",KEYS[1]) == ARGV[1] then return "
                                    "redis.call(\"del\",KEYS[1]) else return 0 end";

static bool is_enabled(void)
{
    return zend_ini_long(ZEND_STRL("redis.session.locking_enabled"), false) != 0;
}

static zend_long setting(const char *name, zend_long otherwise)
{
    zend_long value = zend_ini_long(name, strlen(name), false);

    return value ? value : otherwise;
}

/* Time to live in seconds; 0 or less means until unlocked. */
static zend_long seconds_to_live(void)
{
    return setting(
        "redis.session.lock_expire", zend_ini_long(ZEND_STRL("max_execution_time"), false));
}

/*
 * Makes a secret for each lock. A process id alone is not enough: a process that has lost its lock
 * must not release the next one.
 */
static zend_string *new_secret(void)
{
    char host[HOST_NAME_BYTES_MAX] = {0};

    gethostname(host, sizeof host - 1);
    return strpprintf(0, "%s|%ld|%" PRIu64, host, (long)getpid(), oh_clock_now_ns());
}

static void forget(oh_session *session)
{
    if (session->lock_key) {
        zend_string_release(session->lock_key);
        zend_string_release(session->lock_secret);
        session->lock_key = session->lock_secret = NULL;
    }
}

/* SET key secret NX PX milliseconds. Returns false if the command failed. */
static bool try_lock(oh_session *session, zend_string *key, zend_string *secret, bool *is_locked)
{
    zend_long seconds = seconds_to_live();
    zval arguments[6], reply;

    ZVAL_STRING(&arguments[0], "SET");
    ZVAL_STR_COPY(&arguments[1], key);
    ZVAL_STR_COPY(&arguments[2], secret);
    ZVAL_STRING(&arguments[3], "NX");
    ZVAL_STRING(&arguments[4], "PX");
    ZVAL_LONG(&arguments[5], seconds * 1000);
    if (seconds <= 0) {
        zval_ptr_dtor(&arguments[4]);
    }
    if (!oh_session_ask(session, "rawcommand", seconds > 0 ? 6 : 4, arguments, &reply)) {
        return false;
    }
    *is_locked = Z_TYPE(reply) == IS_TRUE;
    zval_ptr_dtor(&reply);
    return true;
}

/* 0 selects the default, which differs between versions of phpredis. */
static zend_long lock_retries(void)
{
    return setting("redis.session.lock_retries", oh_phpredis_is_before("6.0.0") ? 10 : 100);
}

static zend_long lock_wait_us(void)
{
    return setting("redis.session.lock_wait_time", oh_phpredis_is_before("6.0.0") ? 2000 : 20000);
}

bool oh_session_lock(oh_session *session, const zend_string *session_key)
{
    zend_long retries = lock_retries(), wait_us = lock_wait_us();
    bool is_locked = false;

    if (!is_enabled()) {
        return true;
    }
    zend_string *key =
        zend_string_concat2(ZSTR_VAL(session_key), ZSTR_LEN(session_key), ZEND_STRL(LOCK_SUFFIX));
    if (session->lock_key && zend_string_equals(session->lock_key, key)) {
        zend_string_release(key);
        return true;
    }
    oh_session_unlock(session);
    zend_string *secret = new_secret();
    for (zend_long i = 0; retries == -1 || i <= retries; i++) {
        if (!try_lock(session, key, secret, &is_locked) || is_locked) {
            break;
        }
        if (retries == -1 || i < retries) {
            usleep((useconds_t)wait_us);
        }
    }
    if (is_locked) {
        session->lock_key = key;
        session->lock_secret = secret;
        return true;
    }
    zend_string_release(key);
    zend_string_release(secret);
    return false;
}

bool oh_session_is_locked(oh_session *session)
{
    zval arguments[2], reply;

    if (!is_enabled()) {
        return true;
    }
    if (!session->lock_key) {
        php_error_docref(
            NULL, E_WARNING, "The session is not locked by this request, so it is not written");
        return false;
    }
    /* Without lock_expire, the lock lives at least as long as this request. */
    if (!zend_ini_long(ZEND_STRL("redis.session.lock_expire"), false)) {
        return true;
    }
    ZVAL_STRING(&arguments[0], "GET");
    ZVAL_STR_COPY(&arguments[1], session->lock_key);
    if (!oh_session_ask(session, "rawcommand", 2, arguments, &reply)) {
        return false;
    }
    bool is_ours =
        Z_TYPE(reply) == IS_STRING && zend_string_equals(Z_STR(reply), session->lock_secret);
    zval_ptr_dtor(&reply);
    if (!is_ours) {
        forget(session);
        php_error_docref(NULL, E_WARNING,
            "The lock of the session has expired, so it is not written; raise "
            "redis.session.lock_expire");
    }
    return is_ours;
}

void oh_session_unlock(oh_session *session)
{
    zval arguments[5], reply;

    if (!session->lock_key) {
        return;
    }
    ZVAL_STRING(&arguments[0], "EVAL");
    ZVAL_STRING(&arguments[1], unlock_script);
    ZVAL_LONG(&arguments[2], 1);
    ZVAL_STR_COPY(&arguments[3], session->lock_key);
    ZVAL_STR_COPY(&arguments[4], session->lock_secret);
    if (oh_session_ask(session, "rawcommand", 5, arguments, &reply)) {
        zval_ptr_dtor(&reply);
    }
    forget(session);
}
