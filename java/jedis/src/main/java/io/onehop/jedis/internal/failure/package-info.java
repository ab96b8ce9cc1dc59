/**
 * What went wrong: which node, how far the command got, and a sentence that says what to do. The
 * exceptions themselves are of the exported package, because a program catches them.
 */
package io.onehop.jedis.internal.failure;
