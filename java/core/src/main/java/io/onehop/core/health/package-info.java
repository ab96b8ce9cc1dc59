/**
 * Is it worth asking this node, and how long did its calls take: the rules alone. Implements
 * spec/health and spec/meter.
 */
package io.onehop.core.health;
