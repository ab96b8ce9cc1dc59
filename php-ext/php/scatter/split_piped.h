/*
 * Split, piped: the parts of a split of which several are for one node. Private to split.
 */
#ifndef OH_PHP_SPLIT_PIPED_H
#define OH_PHP_SPLIT_PIPED_H

#include "php/call/split.h"
#include "php/scatter/scatter.h"

/* Whether a node has several parts. */
bool oh_split_is_piped(const struct oh_client *client, const oh_split *split);

/*
 * Sends all parts; each of `parts` is given its reply or its failure, to be freed by oh_scatter_free. False: an exception,
 * or the script is ending; nothing is in `parts` then.
 */
bool oh_split_run_piped(struct oh_client *client, const oh_split *split, oh_share *parts);

#endif
