package io.onehop.core.key;

/**
 * The two bytes between which a key's hashed part stands, such as <code>{</code> and <code>}</code>
 * ; they may be equal.
 */
public record HashTag(byte open, byte close) {}
