/**
 * The command table: where a command's keys are, where it goes, and how several replies become one.
 * It knows no nodes and sends nothing. Implements spec/route/route.md.
 */
package io.onehop.core.command;
