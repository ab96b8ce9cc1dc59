/**
 * One socket to one node: resolved, connected, greeted, guarded, and never waited for beyond the
 * deadline of a call.
 */
package io.onehop.jedis.internal.connection;
