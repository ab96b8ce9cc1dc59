/**
 * {@code onehop}, the command line for operators: questions about a configuration, its nodes and
 * their keys. docs/cli.md shows each command.
 */
package io.onehop.cli;
