/**
 * Reads a nutcracker.yml: its text becomes server pools, or one line and a reason. Only this
 * package reads YAML. Implements spec/config.
 */
package io.onehop.core.config;
