/*
 * The functions that PHP's session module calls, in the order of a request.
 */
#include "php/base/zend.h"

#include "ext/session/php_session.h"
#include "zend_ini.h"

#include "php/phpredis/phpredis.h"
#include "php/session/session.h"

#define PREFIX_DEFAULT "PHPREDIS_SESSION:"
#define LIFETIME_DEFAULT_S 1440
#define SIDS_TRIED_MAX 3 /* How many new ids are tried: each may be taken already. */

static zend_string *key_of(const oh_session *session, const zend_string *id)
{
    return zend_string_concat2(
        ZSTR_VAL(session->prefix), ZSTR_LEN(session->prefix), ZSTR_VAL(id), ZSTR_LEN(id));
}

/* ---- Opening ---- */

static bool set_option(oh_session *session, const char *option, zend_long value)
{
    zend_long number = oh_phpredis_constant(option);
    zval arguments[2];

    if (number < 0) {
        return false;
    }
    ZVAL_LONG(&arguments[0], number);
    ZVAL_LONG(&arguments[1], value);
    return oh_session_tell(session, "setoption", 2, arguments) == SUCCESS;
}

/*
 * Applies redis.session.compression of phpredis 6, the name of a compression. phpredis has a
 * constant for it if it was built with that compression.
 */
static void set_compression(oh_session *session)
{
    const char *name = zend_ini_string(ZEND_STRL("redis.session.compression"), false);
    char constant[32];

    if (!name || !*name || !strcasecmp(name, "none")) {
        return;
    }
    snprintf(constant, sizeof constant, "COMPRESSION_%s", name);
    zend_str_toupper(constant, strlen(constant));
    zend_long kind = oh_phpredis_constant(constant);
    if (kind < 0 || !set_option(session, "OPT_COMPRESSION", kind)) {
        php_error_docref(NULL, E_NOTICE,
            "phpredis has no redis.session.compression \"%s\": sessions are not compressed", name);
        return;
    }
    set_option(session, "OPT_COMPRESSION_LEVEL",
        zend_ini_long(ZEND_STRL("redis.session.compression_level"), false));
}

PS_OPEN_FUNC(onehop)
{
    oh_save_path path = {0};

    /* session_reset() opens a session that is open already. It must not lock twice. */
    if (PS_GET_MOD_DATA()) {
        return SUCCESS;
    }
    zend_object *redis = oh_save_path_read(&path, save_path) ? oh_session_client(&path) : NULL;

    if (!redis) {
        oh_save_path_free(&path);
        PS_SET_MOD_DATA(NULL);
        return FAILURE;
    }
    oh_session *session = ecalloc(1, sizeof *session);

    session->redis = redis;
    session->prefix = path.prefix ? zend_string_copy(path.prefix)
                                  : zend_string_init(ZEND_STRL(PREFIX_DEFAULT), false);
    oh_save_path_free(&path);
    set_compression(session);
    PS_SET_MOD_DATA(session);
    return SUCCESS;
}

PS_CLOSE_FUNC(onehop)
{
    oh_session *session = PS_GET_MOD_DATA();

    if (session) {
        oh_session_unlock(session);
        zend_string_release(session->prefix);
        OBJ_RELEASE(session->redis);
        efree(session);
        PS_SET_MOD_DATA(NULL);
    }
    return SUCCESS;
}

/* ---- The identifier ---- */

PS_CREATE_SID_FUNC(onehop)
{
    oh_session *session = PS_GET_MOD_DATA();

    if (!session) {
        return php_session_create_id(NULL);
    }
    for (int i = 0; i < SIDS_TRIED_MAX; i++) {
        zend_string *id = php_session_create_id(mod_data);

        if (!id) {
            return NULL;
        }
        zend_string *key = key_of(session, id);
        bool is_locked = oh_session_lock(session, key);
        zend_string_release(key);
        if (is_locked) {
            return id;
        }
        zend_string_release(id);
    }
    php_error_docref(NULL, E_WARNING, "A new session could not be locked");
    return NULL;
}

PS_VALIDATE_SID_FUNC(onehop)
{
    oh_session *session = PS_GET_MOD_DATA();
    zval argument, reply;

    if (!session || !ZSTR_LEN(key)) {
        return FAILURE;
    }
    ZVAL_STR(&argument, key_of(session, key));
    if (!oh_session_ask(session, "exists", 1, &argument, &reply)) {
        return FAILURE;
    }
    bool is_present = zend_is_true(&reply);
    zval_ptr_dtor(&reply);
    return is_present ? SUCCESS : FAILURE;
}

/* ---- The data ---- */

static bool is_refreshed_early(void)
{
    return zend_ini_long(ZEND_STRL("redis.session.early_refresh"), false) &&
           oh_phpredis_method("getex");
}

static zend_long lifetime_of(zend_long maxlifetime)
{
    return maxlifetime > 0 ? MIN(maxlifetime, INT_MAX) : LIFETIME_DEFAULT_S;
}

PS_READ_FUNC(onehop)
{
    oh_session *session = PS_GET_MOD_DATA();
    bool is_refreshed = is_refreshed_early();
    zval arguments[2], reply;

    if (!session || !ZSTR_LEN(key)) {
        return FAILURE;
    }
    zend_string *name = key_of(session, key);
    if (!oh_session_lock(session, name)) {
        php_error_docref(
            NULL, E_WARNING, "The session is locked by another request, which did not end in time");
        zend_string_release(name);
        return FAILURE;
    }
    ZVAL_STR(&arguments[0], name);
    if (is_refreshed) {
        array_init(&arguments[1]);
        add_assoc_long(&arguments[1], "EX", lifetime_of(maxlifetime));
    }
    if (!oh_session_ask(
            session, is_refreshed ? "getex" : "get", is_refreshed ? 2 : 1, arguments, &reply)) {
        return FAILURE;
    }
    *val = Z_TYPE(reply) == IS_STRING ? zend_string_copy(Z_STR(reply)) : ZSTR_EMPTY_ALLOC();
    zval_ptr_dtor(&reply);
    return SUCCESS;
}

PS_WRITE_FUNC(onehop)
{
    oh_session *session = PS_GET_MOD_DATA();
    zval arguments[3];

    if (!session || !ZSTR_LEN(key) || !oh_session_is_locked(session)) {
        return FAILURE;
    }
    ZVAL_STR(&arguments[0], key_of(session, key));
    ZVAL_LONG(&arguments[1], lifetime_of(maxlifetime));
    ZVAL_STR_COPY(&arguments[2], val);
    return oh_session_tell(session, "setex", 3, arguments);
}

PS_UPDATE_TIMESTAMP_FUNC(onehop)
{
    oh_session *session = PS_GET_MOD_DATA();
    zval arguments[2], reply;

    if (!session || !ZSTR_LEN(key)) {
        return FAILURE;
    }
    if (is_refreshed_early()) {
        return SUCCESS;
    }
    ZVAL_STR(&arguments[0], key_of(session, key));
    ZVAL_LONG(&arguments[1], lifetime_of(maxlifetime));
    /*
     * A reply of false is not a failure: an empty session is never stored, so its key is missing.
     */
    if (!oh_session_ask(session, "expire", 2, arguments, &reply)) {
        return FAILURE;
    }
    zval_ptr_dtor(&reply);
    return SUCCESS;
}

PS_DESTROY_FUNC(onehop)
{
    oh_session *session = PS_GET_MOD_DATA();
    zval argument;

    if (!session) {
        return FAILURE;
    }
    oh_session_unlock(session);
    ZVAL_STR(&argument, key_of(session, key));
    return oh_session_tell(session, "del", 1, &argument);
}

/* Nothing to collect: nodes expire sessions. */
PS_GC_FUNC(onehop)
{
    *nrdels = 0;
    return 0;
}

static const ps_module handler = {PS_MOD_UPDATE_TIMESTAMP(onehop)};

zend_result oh_session_register(void)
{
    return php_session_register_module(&handler);
}
