/**
 * One command as bytes: its arguments, encoded once, and the memory in which batches are encoded.
 */
package io.onehop.jedis.internal.request;
