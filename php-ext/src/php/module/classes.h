/* Classes: declares OneHop's own classes and takes over the methods of phpredis. */
#ifndef OH_PHP_CLASSES_H
#define OH_PHP_CLASSES_H

#include "php/base/zend.h"

/* Finds phpredis and declares everything. FAILURE, with a warning, if phpredis is not there. */
zend_result oh_classes_register(void);

/*
 * Gives back what the classes borrowed from phpredis, so that Zend frees it only once. Must be
 * called before the classes are destroyed.
 */
void oh_classes_release(void);

#endif
