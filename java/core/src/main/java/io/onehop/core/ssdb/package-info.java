/**
 * What an SSDB node is sent instead of redis' commands, and what its replies become. Implements
 * spec/route/route.md, "SSDB".
 */
package io.onehop.core.ssdb;
