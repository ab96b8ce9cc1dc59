/*
 * Own name: CLIENT SETNAME, GETNAME and SETINFO of a script. Connections are shared, so the name
 * belongs to the object, and nothing is sent.
 *
 * Implements spec/wire, section 8.
 */
#ifndef OH_PHP_OWN_NAME_H
#define OH_PHP_OWN_NAME_H

#include "php/client/client.h"

/*
 * Answers the subcommand and its arguments. False if they are another command, or the object is in
 * a pipeline or a transaction.
 */
bool oh_own_name_answers(oh_client *client, const zval *words, uint32_t count, zval *return_value);

#endif
