/** The bounds of everything, generated from spec/limits.json, and the only door for time. */
package io.onehop.core.base;
