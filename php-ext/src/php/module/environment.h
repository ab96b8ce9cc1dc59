/*
 * Environment: what the engine needs from its program, implemented with PHP.
 */
#ifndef OH_PHP_ENVIRONMENT_H
#define OH_PHP_ENVIRONMENT_H

/* Called at module startup, before any fork and before the engine is used. */
void oh_environment_startup(void);

#endif
