/**
 * Reads a nutcracker.yml: its text becomes server pools, or errors with their lines. Only this
 * package reads YAML. Implements spec/config.
 */
package io.onehop.core.config;
