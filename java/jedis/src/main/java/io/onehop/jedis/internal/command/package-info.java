/**
 * What a command means and where it goes: its entry in the table, its keys, its plan, and the
 * scripts that it may need.
 */
package io.onehop.jedis.internal.command;
