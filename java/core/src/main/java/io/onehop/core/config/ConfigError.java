package io.onehop.core.config;

import java.io.Serializable;

/**
 * One error of a configuration.
 *
 * @param line counted from 1; that of the pool's name if something is missing in a pool
 * @param reason what is wrong: one of the texts of spec/config, the same in every language
 */
public record ConfigError(int line, String reason) implements Serializable {}
