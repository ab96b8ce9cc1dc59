/** All bounds, generated from spec/limits.json, and the only access to time. */
package io.onehop.core.base;
