/**
 * From a command as Jedis built it to what it means and where it goes: its entry in the table, its
 * keys, its plan, the scripts it may need.
 */
package io.onehop.jedis.internal.command;
