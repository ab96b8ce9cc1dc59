/** All bounds, generated from spec/constants.json, and the only access to time. */
package io.onehop.core.base;
