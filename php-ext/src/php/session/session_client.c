/*
 * Calls the methods of a session's client as a script would. Exceptions become warnings, because
 * PHP may call a session handler when no code can catch them any more.
 */
#include "php/base/zend.h"

#include "ext/standard/url.h"
#include "zend_exceptions.h"

#include "php/client/client.h"
#include "php/exception/exception.h"
#include "php/session/session.h"

static zend_function *method_named(const char *name)
{
    return zend_hash_str_find_ptr(&oh_client_class->function_table, name, strlen(name));
}

/* Turns the pending exception into a warning. */
static void warn_of_exception(void)
{
    zend_object *exception = EG(exception);
    zval rv;

    if (oh_is_script_ending()) {
        return;
    }
    GC_ADDREF(exception);
    zend_clear_exception();
    zval *message = zend_read_property_ex(
        zend_get_exception_base(exception), exception, ZSTR_KNOWN(ZEND_STR_MESSAGE), true, &rv);
    if (Z_TYPE_P(message) == IS_STRING) {
        php_error_docref(NULL, E_WARNING, "%s", Z_STRVAL_P(message));
    }
    OBJ_RELEASE(exception);
}

/*
 * Calls a method. At the end of a request there is no frame, and Zend would end the request at the
 * first exception. So an empty frame is set then.
 */
static void call_in_a_frame(
    zend_function *function, zend_object *redis, zval *reply, uint32_t count, zval *arguments)
{
    zend_execute_data *frame = EG(current_execute_data);
    zend_execute_data none = {0};

    if (EG(exception)) {
        return;
    }
    EG(current_execute_data) = frame ? frame : &none;
    zend_call_known_function(function, redis, oh_client_class, reply, count, arguments, NULL);
    EG(current_execute_data) = frame;
}

static bool call(
    oh_session *session, const char *method, uint32_t count, zval *arguments, zval *reply)
{
    ZVAL_UNDEF(reply);
    call_in_a_frame(method_named(method), session->redis, reply, count, arguments);
    for (uint32_t i = 0; i < count; i++) {
        zval_ptr_dtor(&arguments[i]);
    }
    if (!EG(exception)) {
        return true;
    }
    zval_ptr_dtor(reply);
    warn_of_exception();
    return false;
}

/*
 * True if phpredis has returned false because of an error of the node. It also returns false for a
 * missing key.
 */
static bool is_refused(oh_session *session)
{
    zval error, done;

    if (!call(session, "getlasterror", 0, NULL, &error)) {
        return true;
    }
    if (Z_TYPE(error) != IS_STRING) {
        zval_ptr_dtor(&error);
        return false;
    }
    php_error_docref(NULL, E_WARNING, "The node refused: %s", Z_STRVAL(error));
    zval_ptr_dtor(&error);
    if (call(session, "clearlasterror", 0, NULL, &done)) {
        zval_ptr_dtor(&done);
    }
    return true;
}

bool oh_session_ask(
    oh_session *session, const char *method, uint32_t count, zval *arguments, zval *reply)
{
    return call(session, method, count, arguments, reply) &&
           (Z_TYPE_P(reply) != IS_FALSE || !is_refused(session));
}

zend_result oh_session_tell(
    oh_session *session, const char *method, uint32_t count, zval *arguments)
{
    zval reply;

    if (!oh_session_ask(session, method, count, arguments, &reply)) {
        return FAILURE;
    }
    bool is_done = Z_TYPE(reply) != IS_FALSE;
    zval_ptr_dtor(&reply);
    return is_done ? SUCCESS : FAILURE;
}

zend_object *oh_session_client(const oh_save_path *path)
{
    zval redis, arguments[2];

    if (object_init_ex(&redis, oh_client_class) == FAILURE) {
        return NULL;
    }
    ZVAL_STR(&arguments[0], path->pool);
    if (path->config) {
        ZVAL_STR(&arguments[1], path->config);
    }
    call_in_a_frame(
        oh_client_class->constructor, Z_OBJ(redis), NULL, path->config ? 2 : 1, arguments);
    if (EG(exception)) {
        warn_of_exception();
        zval_ptr_dtor(&redis);
        return NULL;
    }
    oh_client *client = oh_client_of(Z_OBJ(redis));
    client->is_of_session = true;
    client->database = path->database;
    return Z_OBJ(redis);
}

/* ---- session.save_path: a server pool, a DSN, or pairs like those of a URL's query ---- */

void oh_save_path_free(oh_save_path *path)
{
    if (path->pool) {
        zend_string_release(path->pool);
    }
    if (path->config) {
        zend_string_release(path->config);
    }
    if (path->prefix) {
        zend_string_release(path->prefix);
    }
}

static bool refuse(void)
{
    php_error_docref(NULL, E_WARNING,
        "session.save_path must be the name of a server pool, or "
        "pool=NAME&config=FILE&prefix=PREFIX&database=NUMBER");
    return false;
}

static bool read_database(oh_save_path *path, const char *digits, size_t length)
{
    zend_long number;

    if (oh_database_is_chosen(path->database) ||
        is_numeric_string(digits, length, &number, NULL, false) != IS_LONG || number < 0 ||
        number >= UINT32_MAX) {
        return refuse();
    }
    path->database = oh_database_of((uint32_t)number);
    return true;
}

static bool read_part(oh_save_path *path, const char *part, size_t length)
{
    const char *equals = memchr(part, '=', length);
    size_t name_length = equals ? (size_t)(equals - part) : 0;
    zend_string **place = name_length == 4 && !memcmp(part, "pool", 4)     ? &path->pool
                          : name_length == 6 && !memcmp(part, "config", 6) ? &path->config
                          : name_length == 6 && !memcmp(part, "prefix", 6) ? &path->prefix
                                                                           : NULL;

    if (name_length == 8 && !memcmp(part, "database", 8)) {
        return read_database(path, equals + 1, length - name_length - 1);
    }
    if (!place || *place) {
        return refuse();
    }
    *place = zend_string_init(equals + 1, length - name_length - 1, false);
    ZSTR_LEN(*place) = php_url_decode(ZSTR_VAL(*place), ZSTR_LEN(*place));
    return true;
}

bool oh_save_path_read(oh_save_path *path, const char *text)
{
    if (*text == '/') { /* PHP's default path, or a path for the files handler. */
        php_error_docref(
            NULL, E_WARNING, "session.save_path is a path: set it to the name of a server pool");
        return false;
    }
    if (!strchr(text, '=') || !strncmp(text, "onehop://", strlen("onehop://"))) {
        path->pool = zend_string_init(text, strlen(text), false);
        return true;
    }
    for (const char *part = text; part; part = *part ? part + 1 : NULL) {
        size_t length = strcspn(part, "&");

        if (!read_part(path, part, length)) {
            return false;
        }
        part += length;
    }
    if (!path->pool) {
        php_error_docref(NULL, E_WARNING, "session.save_path names no server pool");
    }
    return path->pool != NULL;
}
