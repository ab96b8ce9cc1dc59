/*
 * Module: what module.c starts and ends, which are the environment of the engine, the classes, the
 * handler of each method, and the modes of a client.
 */
#ifndef OH_PHP_MODULE_H
#define OH_PHP_MODULE_H

#include "php/phpredis/method.h"

/* ---- What the engine needs from its program, implemented with PHP ---- */

/* Called at module startup, before any fork and before the engine is used. */
void oh_environment_startup(void);

/* ---- OneHop's own classes, and the methods of phpredis that they take over ---- */

/* Finds phpredis and declares everything. FAILURE, with a warning, if phpredis is not there. */
zend_result oh_classes_register(void);

/*
 * Gives back what the classes borrowed from phpredis, so that Zend frees it only once. Must be
 * called before the classes are destroyed.
 */
void oh_classes_release(void);

/* ---- The function that handles each method of phpredis ---- */

/*
 * Sets the handler and the slot of a method that OneHop\Redis inherits. `original` is phpredis'
 * entry.
 */
zend_result oh_handlers_take_over(zend_function *inherited, zend_function *original);
void oh_handlers_give_back(zend_function *inherited);

/* ---- The table of modes, made of the functions of all rooms ---- */

/* Called at module startup. */
void oh_modes_startup(void);

/* The handlers of the methods. */
void oh_modes_get(INTERNAL_FUNCTION_PARAMETERS);
void oh_modes_pipeline(INTERNAL_FUNCTION_PARAMETERS);
void oh_modes_multi(INTERNAL_FUNCTION_PARAMETERS);
void oh_modes_exec(INTERNAL_FUNCTION_PARAMETERS);
void oh_modes_discard(INTERNAL_FUNCTION_PARAMETERS);
void oh_modes_watch(INTERNAL_FUNCTION_PARAMETERS);
void oh_modes_unwatch(INTERNAL_FUNCTION_PARAMETERS);

#endif
