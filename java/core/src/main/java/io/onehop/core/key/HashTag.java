package io.onehop.core.key;

/**
 * The two bytes that enclose the hashed part of a key, such as <code>{</code> and <code>}</code>;
 * they may be equal.
 */
public record HashTag(byte open, byte close) {}
