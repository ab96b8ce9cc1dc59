/**
 * The road of a command: what it passes, where it goes, in what, and what becomes of it. A call
 * takes the route of the newest snapshot and ends on it.
 */
package io.onehop.jedis.internal.route;
