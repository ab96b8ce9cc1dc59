/**
 * Failures: which node, how far the command got, and a sentence that says what to do. The
 * exceptions themselves are in the exported package, because programs catch them.
 */
package io.onehop.jedis.internal.failure;
