/*
 * Makes OneHop's exceptions. Their message has one form, the same in every language:
 *
 *     <what happened>, node <name> (<host:port>), server pool <pool>: <the command was not sent | may have executed
 *     | was answered>; <what to do> (<numbers that differ each time>)
 *
 * A configuration that is refused before there is any command has only what happened and what to do.
 *
 * Implements spec/errors.json.
 */
#include "php_onehop.h"

#include "zend_exceptions.h"
#include "zend_smart_str.h"

#include "core/generated/limits.h"

#include "engine/failure/failure.h"

zend_class_entry *oh_exception_class;
zend_class_entry *oh_exception_classes[OH_ERROR_KINDS_COUNT];

static const char *const kind_names[OH_ERROR_KINDS_COUNT] = {
#define OH_KIND_NAME(constant, name, meaning) name,
    OH_ERROR_KINDS(OH_KIND_NAME)
#undef OH_KIND_NAME
};

static const char *const outcome_phrases[OH_OUTCOMES_COUNT] = {
#define OH_OUTCOME_PHRASE(constant, name, phrase) phrase,
    OH_OUTCOMES(OH_OUTCOME_PHRASE)
#undef OH_OUTCOME_PHRASE
};

/* ---- The value ---- */

void oh_failure_set(oh_failure *failure, oh_error_kind kind, oh_outcome outcome, const char *advice,
    const char *format, ...)
{
    va_list arguments;

    failure->kind = kind;
    failure->outcome = outcome;
    failure->advice = advice;
    failure->numbers[0] = '\0';
    va_start(arguments, format);
    vsnprintf(failure->what, sizeof failure->what, format, arguments);
    va_end(arguments);
}

void oh_failure_number(oh_failure *failure, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(failure->numbers, sizeof failure->numbers, format, arguments);
    va_end(arguments);
}

void oh_failure_append(oh_failure *failure, const char *text)
{
    size_t end = strlen(failure->what);

    snprintf(failure->what + end, sizeof failure->what - end, "%s", text);
}

void oh_failure_quote(oh_failure *failure, const char *bytes, size_t length)
{
    size_t end = strlen(failure->what);
    size_t limit = MIN(end + OH_MESSAGE_BYTES_MAX, sizeof failure->what - 1);

    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        bool is_plain = byte >= 0x20 && byte < 0x7f && byte != '\\';
        size_t width = is_plain ? 1 : 4;

        if (end + width > limit) {
            break;
        }
        if (is_plain) {
            failure->what[end] = (char)byte;
        } else {
            snprintf(failure->what + end, 5, "\\x%02x", byte);
        }
        end += width;
    }
    failure->what[end] = '\0';
}

/* ---- The exception ---- */

/* Names come from the configuration, which may hold any text: shown as the bytes of a server are. */
static void append_shown(smart_str *message, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)bytes[i];

        if (byte < 0x20 || byte == 0x7f) {
            smart_str_append_printf(message, "\\x%02x", byte);
        } else {
            smart_str_appendc(message, (char)byte);
        }
    }
}

static void append_node(smart_str *message, const oh_node *node)
{
    smart_str_appends(message, ", node ");
    append_shown(message, node->name.bytes, node->name.length);
    smart_str_appends(message, " (");
    if (node->path.bytes) {
        append_shown(message, node->path.bytes, node->path.length);
    } else {
        append_shown(message, node->host.bytes, node->host.length);
        smart_str_append_printf(message, ":%u", (unsigned)node->port);
    }
    smart_str_appendc(message, ')');
}

static zend_object *new_exception(zend_class_entry *class, oh_error_kind kind, bool may_have_executed,
    zend_string *message, const oh_node *node, zend_object *previous)
{
    zval exception, value;

    object_init_ex(&exception, class);
    zend_object *object = Z_OBJ(exception);

    ZVAL_STR(&value, message);
    zend_update_property_ex(zend_ce_exception, object, ZSTR_KNOWN(ZEND_STR_MESSAGE), &value);
    zval_ptr_dtor(&value);
    zend_update_property_string(oh_exception_class, object, ZEND_STRL("kind"), kind_names[kind]);
    zend_update_property_bool(oh_exception_class, object, ZEND_STRL("mayHaveExecuted"), may_have_executed);
    if (node) {
        zend_update_property_stringl(oh_exception_class, object, ZEND_STRL("node"), node->name.bytes,
            node->name.length);
    }
    if (previous) {
        zend_exception_set_previous(object, previous);
    }
    return object;
}

/* What happened and where. */
static void append_what(smart_str *message, const oh_failure *failure, const oh_node *node, const char *pool)
{
    smart_str_appends(message, failure->what);
    if (node) {
        append_node(message, node);
    }
    if (pool) {
        smart_str_appends(message, ", server pool ");
        append_shown(message, pool, strlen(pool));
    }
}

static zend_string *message_of(const oh_failure *failure, const oh_node *node, const char *pool)
{
    bool has_command = failure->kind != OH_ERROR_CONFIG_INVALID || node || pool;
    smart_str message = {0};

    append_what(&message, failure, node, pool);
    if (has_command) {
        smart_str_appends(&message, ": ");
        smart_str_appends(&message, outcome_phrases[failure->outcome]);
    }
    smart_str_appends(&message, "; ");
    smart_str_appends(&message, failure->advice);
    if (failure->numbers[0]) {
        smart_str_append_printf(&message, " (%s)", failure->numbers);
    }
    return smart_str_extract(&message);
}

zend_object *oh_failure_exception(const oh_failure *failure, const oh_node *node, const char *pool,
    zend_object *previous)
{
    return new_exception(oh_exception_classes[failure->kind], failure->kind,
        failure->outcome != OH_OUTCOME_NOT_SENT, message_of(failure, node, pool), node, previous);
}

zend_object *oh_failure_wrap(zend_object *foreign, const oh_node *node, const char *pool)
{
    oh_failure failure;
    zval rv, *text = zend_read_property_ex(zend_get_exception_base(foreign), foreign, ZSTR_KNOWN(ZEND_STR_MESSAGE),
                 true, &rv);

    oh_failure_set(&failure, OH_ERROR_PARTIAL_BATCH, OH_OUTCOME_ANSWERED, "see the previous exception", "%s: ",
        ZSTR_VAL(foreign->ce->name));
    if (Z_TYPE_P(text) == IS_STRING) {
        oh_failure_quote(&failure, Z_STRVAL_P(text), Z_STRLEN_P(text));
    }
    return new_exception(oh_exception_class, failure.kind, true, message_of(&failure, node, pool), node, foreign);
}

bool oh_is_script_ending(void)
{
    return EG(exception) && (zend_is_unwind_exit(EG(exception)) || zend_is_graceful_exit(EG(exception)));
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

/* The message of a failure up to its outcome and advice, which are true of its node and not of the batch. */
static void append_first(smart_str *message, const zend_string *text)
{
    size_t length = ZSTR_LEN(text);

    for (int i = 0; i < OH_OUTCOMES_COUNT; i++) {
        char phrase[64];
        int phrase_length = snprintf(phrase, sizeof phrase, ": %s; ", outcome_phrases[i]);
        const char *found = zend_memnrstr(ZSTR_VAL(text), phrase, (size_t)phrase_length,
            ZSTR_VAL(text) + ZSTR_LEN(text));

        length = found ? MIN(length, (size_t)(found - ZSTR_VAL(text))) : length;
    }
    smart_str_appendl(message, ZSTR_VAL(text), length);
}

/* Either nodes failed, or all have answered and the replies to a command over several of them are not one. */
static void append_partial(smart_str *message, uint32_t failed, const char *pool)
{
    if (failed == 0) {
        smart_str_appends(message, "A part of the batch failed, though every node has answered");
    } else {
        smart_str_append_printf(message, "A part of the batch did not come back (%u %s failed)", failed,
            failed == 1 ? "node" : "nodes");
    }
    smart_str_appends(message, ", server pool ");
    append_shown(message, pool, strlen(pool));
    smart_str_appends(message, failed == 0
        ? ": its commands were answered; getReplies() has all replies, with a failure in the place of each such part,"
          " the first: "
        : ": the other commands were answered; getReplies() has their replies, getFailures() says of each node that"
          " failed whether its commands may have executed, the first: ");
}

zend_object *oh_failure_partial(zval *replies, zval *failures, zend_object *first, const char *pool)
{
    zval rv, *text = zend_read_property_ex(zend_ce_exception, first, ZSTR_KNOWN(ZEND_STR_MESSAGE), true, &rv);
    uint32_t failed = zend_hash_num_elements(Z_ARRVAL_P(failures));
    smart_str message = {0};

    append_partial(&message, failed, pool);
    if (Z_TYPE_P(text) == IS_STRING) {
        append_first(&message, Z_STR_P(text));
    }
    zend_object *exception = new_exception(oh_exception_classes[OH_ERROR_PARTIAL_BATCH], OH_ERROR_PARTIAL_BATCH, true,
        smart_str_extract(&message), NULL, NULL);
    zend_update_property(oh_exception_classes[OH_ERROR_PARTIAL_BATCH], exception, ZEND_STRL("replies"), replies);
    zend_update_property(oh_exception_classes[OH_ERROR_PARTIAL_BATCH], exception, ZEND_STRL("failures"), failures);
    zval_ptr_dtor(replies);
    zval_ptr_dtor(failures);
    return exception;
}

/* ---- What PHP code asks an exception ---- */

static void return_property(zend_class_entry *class, zval *this, const char *name, size_t length, zval *return_value)
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
    return_property(oh_exception_classes[OH_ERROR_PARTIAL_BATCH], ZEND_THIS, ZEND_STRL("replies"), return_value);
}

ZEND_METHOD(OneHop_PartialBatch, getFailures)
{
    ZEND_PARSE_PARAMETERS_NONE();
    return_property(oh_exception_classes[OH_ERROR_PARTIAL_BATCH], ZEND_THIS, ZEND_STRL("failures"), return_value);
}
