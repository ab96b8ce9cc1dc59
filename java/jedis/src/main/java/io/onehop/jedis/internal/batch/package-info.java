/**
 * Several commands, or one over several nodes. Each node has an exchange, and the caller's thread
 * runs them in parallel. Replies become one.
 */
package io.onehop.jedis.internal.batch;
