/**
 * TLS of a client: the files of its server pool, the engine of each connection, and why a handshake
 * failed. No sockets.
 */
package io.onehop.jedis.internal.tls;
