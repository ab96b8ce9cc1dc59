/**
 * From the text of a nutcracker.yml to server pools, or to one line and a reason. The only place
 * that reads YAML. Implements spec/config.
 */
package io.onehop.core.config;
