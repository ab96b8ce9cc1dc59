/**
 * Redis' commands translated for an SSDB node, and its replies translated back. Implements
 * spec/route/route.md, "SSDB".
 */
package io.onehop.core.ssdb;
