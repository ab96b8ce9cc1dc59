/*
 * Calls use the memory of the request: it counts against memory_limit and is always freed with the
 * request. (emalloc ends the script instead of returning NULL.) Zend handles interrupts, such as
 * signals, between two opcodes. If one leaves an exception pending, the engine ends the current
 * wait.
 */
#include "php/base/zend.h"

#include "engine/base/environment.h"

#include "php/exception/exception.h"
#include "php/module/module.h"
#include "php_onehop.h"

static void *allocate(size_t size)
{
    return emalloc(size);
}

static void *resize(void *memory, size_t size)
{
    return erealloc(memory, size);
}

static void release(void *memory)
{
    efree(memory);
}

static size_t memory_left(void)
{
    size_t used = zend_memory_usage(true);
    size_t limit = PG(memory_limit) < 0 ? SIZE_MAX : (size_t)PG(memory_limit);

    return used < limit ? limit - used : 0;
}

static bool is_interrupted(void)
{
    return zend_atomic_bool_load_ex(&EG(vm_interrupt));
}

static void serve_interrupt(void)
{
    zend_atomic_bool_store_ex(&EG(vm_interrupt), false);
    if (zend_atomic_bool_load_ex(&EG(timed_out))) {
        zend_timeout();
    } else if (zend_interrupt_function) {
        zend_interrupt_function(EG(current_execute_data));
    }
}

static bool is_ending(void)
{
    return EG(exception) != NULL;
}

/* A script must not read through us what open_basedir forbids it to read. */
static bool may_read(const char *path)
{
    return php_check_open_basedir_ex(path, 0) == 0;
}

/* Does not use php_error_docref: with html_errors it writes quotes as &quot;, also to the log. */
static void warn(const char *text)
{
    zend_error(E_WARNING, "%s", text);
}

static void announce(int severity, const char *text)
{
    php_log_err_with_severity(text, severity);
}

static void write_line(int severity, const char *text)
{
    if (PG(log_errors)) {
        announce(severity, text);
    }
}

void oh_environment_startup(void)
{
    oh_surroundings = (oh_environment){
        .library = "onehop-php",
        .version = PHP_ONEHOP_VERSION,
        .allocate = allocate,
        .resize = resize,
        .release = release,
        .memory_left = memory_left,
        .is_interrupted = is_interrupted,
        .serve_interrupt = serve_interrupt,
        .is_ending = is_ending,
        .is_exiting = oh_is_script_ending,
        .may_read = may_read,
        .warn = warn,
        .log = write_line,
        .announce = announce,
    };
}
