/*
 * Notifications of keys: which channels and patterns must be subscribed on every node, because each
 * node publishes these notifications on itself only.
 *
 * Pure. Implements spec/route, section 6, Subscriptions.
 */
#ifndef OH_NOTIFICATION_H
#define OH_NOTIFICATION_H

#include "core/base/slice.h"

/* True if notifications of keys arrive on this channel. */
bool oh_notification_is_channel(oh_text channel);

/* True if the pattern may match such a channel. */
bool oh_notification_may_match(oh_text pattern);

#endif
