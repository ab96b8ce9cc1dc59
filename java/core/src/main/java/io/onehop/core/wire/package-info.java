/**
 * What a node sends, framed, counted and checked: {@link io.onehop.core.wire.Framing} without I/O,
 * {@link io.onehop.core.wire.ReplyGuard} around a socket's stream. spec/wire.
 */
package io.onehop.core.wire;
