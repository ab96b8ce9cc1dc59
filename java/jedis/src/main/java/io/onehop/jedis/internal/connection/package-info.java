/**
 * One connection to one node: resolve, connect, handshake, wire guard. Nothing waits beyond the
 * deadline of a call.
 */
package io.onehop.jedis.internal.connection;
