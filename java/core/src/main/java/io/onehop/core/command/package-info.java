/**
 * The command table: of every command where its keys are, where it goes, and how several replies
 * become one. Knows no node and sends nothing. Implements spec/route/route.md.
 */
package io.onehop.core.command;
