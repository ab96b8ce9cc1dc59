/*
 * Environment: PHP as the surroundings of the engine.
 */
#ifndef OH_PHP_ENVIRONMENT_H
#define OH_PHP_ENVIRONMENT_H

/* The module begins: before any fork, and before the engine is used. */
void oh_environment_startup(void);

#endif
