/*
 * Makes an exception: an object of one of OneHop's classes, with its properties set and the
 * failure's message. PartialBatch also carries the replies and failures of all nodes.
 */
#include "php/base/zend.h"

#include "zend_exceptions.h"
#include "zend_smart_str.h"

#include "php/exception/exception.h"

zend_class_entry *oh_exception_class;
zend_class_entry *oh_exception_classes[OH_ERROR_KINDS_COUNT];

static zend_object *new_exception(zend_class_entry *class, oh_error_kind kind,
    bool may_have_executed, zend_string *message, const oh_node *node, zend_object *previous)
{
    zval exception, value;

    object_init_ex(&exception, class);
    zend_object *object = Z_OBJ(exception);

    ZVAL_STR(&value, message);
    zend_update_property_ex(zend_ce_exception, object, ZSTR_KNOWN(ZEND_STR_MESSAGE), &value);
    zval_ptr_dtor(&value);
    zend_update_property_string(
        oh_exception_class, object, ZEND_STRL("kind"), oh_failure_kind_name(kind));
    zend_update_property_bool(
        oh_exception_class, object, ZEND_STRL("mayHaveExecuted"), may_have_executed);
    if (node) {
        zend_update_property_stringl(
            oh_exception_class, object, ZEND_STRL("node"), node->name.bytes, node->name.length);
    }
    if (previous) {
        zend_exception_set_previous(object, previous);
    }
    return object;
}

static zend_string *message_of(const oh_failure *failure, const oh_node *node, const char *pool)
{
    oh_buffer message = {0};

    oh_failure_message(failure, node, pool, &message);
    zend_string *text = zend_string_init(message.bytes, message.length, false);
    oh_buffer_free(&message);
    return text;
}

zend_object *oh_failure_exception(
    const oh_failure *failure, const oh_node *node, const char *pool, zend_object *previous)
{
    return new_exception(oh_exception_classes[failure->kind], failure->kind,
        failure->outcome != OH_OUTCOME_NOT_SENT, message_of(failure, node, pool), node, previous);
}

zend_object *oh_failure_wrap(zend_object *foreign, const oh_node *node, const char *pool)
{
    oh_failure failure;
    zval rv, *text = zend_read_property_ex(zend_get_exception_base(foreign), foreign,
                 ZSTR_KNOWN(ZEND_STR_MESSAGE), true, &rv);
    bool has_text = Z_TYPE_P(text) == IS_STRING;
    oh_quoted shown;

    oh_failure_set(&failure, OH_OUTCOME_ANSWERED, OH_SAY_FOREIGN_EXCEPTION,
        ZSTR_VAL(foreign->ce->name),
        oh_quote(&shown, has_text ? Z_STRVAL_P(text) : "", has_text ? Z_STRLEN_P(text) : 0));
    return new_exception(
        oh_exception_class, failure.kind, true, message_of(&failure, node, pool), node, foreign);
}

bool oh_failure_may_have_executed(zend_object *exception)
{
    zval rv;

    return !instanceof_function(exception->ce, oh_exception_class) ||
           zend_is_true(zend_read_property(
               oh_exception_class, exception, ZEND_STRL("mayHaveExecuted"), true, &rv));
}

zend_string *oh_failure_node(zend_object *exception)
{
    zval rv,
        *node = zend_read_property(oh_exception_class, exception, ZEND_STRL("node"), true, &rv);

    return Z_TYPE_P(node) == IS_STRING ? Z_STR_P(node) : NULL;
}

bool oh_is_script_ending(void)
{
    return EG(exception) &&
           (zend_is_unwind_exit(EG(exception)) || zend_is_graceful_exit(EG(exception)));
}

void oh_failure_throw(zend_object *exception)
{
    zend_throw_exception_internal(exception);
}

void oh_failure_throw_plain(oh_error_kind kind, const char *advice, const char *format, ...)
{
    oh_failure failure = {.kind = kind, .outcome = OH_OUTCOME_NOT_SENT, .advice = advice};
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(failure.what, sizeof failure.what, format, arguments);
    va_end(arguments);
    oh_failure_throw(oh_failure_exception(&failure, NULL, NULL, NULL));
}

/*
 * Appends the message of a failure without its outcome and advice, which hold for one node but not
 * for the batch.
 */
static void append_first(smart_str *message, const zend_string *text)
{
    size_t length = ZSTR_LEN(text);

    for (int i = 0; i < OH_OUTCOMES_COUNT; i++) {
        char phrase[64];
        int phrase_length = snprintf(phrase, sizeof phrase, ": %s; ", oh_failure_outcome_phrase(i));
        const char *found = zend_memnrstr(
            ZSTR_VAL(text), phrase, (size_t)phrase_length, ZSTR_VAL(text) + ZSTR_LEN(text));

        length = found ? MIN(length, (size_t)(found - ZSTR_VAL(text))) : length;
    }
    smart_str_appendl(message, ZSTR_VAL(text), length);
}

static void append_name(smart_str *message, const char *name)
{
    oh_buffer shown = {0};

    oh_failure_append_name(&shown, name, strlen(name));
    smart_str_appendl(message, shown.bytes, shown.length);
    oh_buffer_free(&shown);
}

/* The first nodes by name, and how many more there are. */
static void append_names(smart_str *message, HashTable *failures)
{
    uint32_t count = zend_hash_num_elements(failures), shown = 0;
    char names[OH_NAMES_MAX * sizeof(oh_quoted)] = "";
    zend_string *name;

    ZEND_HASH_FOREACH_STR_KEY(failures, name)
    {
        size_t end = strlen(names);
        oh_quoted quoted;

        if (shown++ < OH_NAMES_MAX) {
            snprintf(names + end, sizeof names - end, "%s%s", shown > 1 ? ", " : "",
                oh_quote_name(&quoted, ZSTR_VAL(name), ZSTR_LEN(name)));
        }
    }
    ZEND_HASH_FOREACH_END();
    if (count > OH_NAMES_MAX) {
        char all[sizeof names + 32];

        snprintf(all, sizeof all, OH_REASON_MORE_NAMES, names, (unsigned)(count - OH_NAMES_MAX));
        smart_str_append_printf(message, OH_WHAT_PARTIAL, all);
    } else {
        smart_str_append_printf(message, OH_WHAT_PARTIAL, names);
    }
}

/*
 * Appends which nodes failed. If none failed, all have answered, but the replies to a command over
 * several nodes cannot be merged.
 */
static void append_partial(smart_str *message, HashTable *failures, const char *pool)
{
    uint32_t failed = zend_hash_num_elements(failures);

    if (failed == 0) {
        smart_str_appends(message, OH_WHAT_PARTIAL_ANSWERED);
    } else {
        append_names(message, failures);
    }
    smart_str_appends(message, ", server pool ");
    append_name(message, pool);
    smart_str_appends(message, ": ");
    smart_str_appends(message, failed == 0 ? OH_ADVICE_PARTIAL_ANSWERED : OH_ADVICE_PARTIAL);
    smart_str_appends(message, "; the first failure: ");
}

zend_object *oh_failure_partial(zval *replies, zval *failures, zend_object *first, const char *pool)
{
    zval rv, *text = zend_read_property_ex(
                 zend_ce_exception, first, ZSTR_KNOWN(ZEND_STR_MESSAGE), true, &rv);
    smart_str message = {0};

    append_partial(&message, Z_ARRVAL_P(failures), pool);
    if (Z_TYPE_P(text) == IS_STRING) {
        append_first(&message, Z_STR_P(text));
    }
    zend_object *exception = new_exception(oh_exception_classes[OH_ERROR_PARTIAL_BATCH],
        OH_ERROR_PARTIAL_BATCH, true, smart_str_extract(&message), NULL, NULL);
    zend_update_property(
        oh_exception_classes[OH_ERROR_PARTIAL_BATCH], exception, ZEND_STRL("replies"), replies);
    zend_update_property(
        oh_exception_classes[OH_ERROR_PARTIAL_BATCH], exception, ZEND_STRL("failures"), failures);
    zval_ptr_dtor(replies);
    zval_ptr_dtor(failures);
    return exception;
}

/* ---- Methods of exceptions ---- */

static void return_property(
    zend_class_entry *class, zval *this, const char *name, size_t length, zval *return_value)
{
    zval rv;

    RETURN_COPY_DEREF(zend_read_property(class, Z_OBJ_P(this), name, length, true, &rv));
}

ZEND_METHOD(OneHop_Exception, getKind)
{
    ZEND_PARSE_PARAMETERS_NONE();
    return_property(oh_exception_class, ZEND_THIS, ZEND_STRL("kind"), return_value);
}

ZEND_METHOD(OneHop_Exception, getNode)
{
    ZEND_PARSE_PARAMETERS_NONE();
    return_property(oh_exception_class, ZEND_THIS, ZEND_STRL("node"), return_value);
}

ZEND_METHOD(OneHop_Exception, mayHaveExecuted)
{
    ZEND_PARSE_PARAMETERS_NONE();
    return_property(oh_exception_class, ZEND_THIS, ZEND_STRL("mayHaveExecuted"), return_value);
}

ZEND_METHOD(OneHop_PartialBatch, getReplies)
{
    ZEND_PARSE_PARAMETERS_NONE();
    return_property(oh_exception_classes[OH_ERROR_PARTIAL_BATCH], ZEND_THIS, ZEND_STRL("replies"),
        return_value);
}

ZEND_METHOD(OneHop_PartialBatch, getFailures)
{
    ZEND_PARSE_PARAMETERS_NONE();
    return_property(oh_exception_classes[OH_ERROR_PARTIAL_BATCH], ZEND_THIS, ZEND_STRL("failures"),
        return_value);
}
