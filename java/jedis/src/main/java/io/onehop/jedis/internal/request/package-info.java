/**
 * One command as bytes: what Jedis' arguments hold, encoded once, and the memory that batches are
 * encoded in.
 */
package io.onehop.jedis.internal.request;
