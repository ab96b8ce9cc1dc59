/**
 * Which bytes of a key decide where it is: the hash tag, and the slot of Redis Cluster. Implements
 * spec/key.
 */
package io.onehop.core.key;
