package io.onehop.core.placement;

import java.util.BitSet;

/**
 * A server as the distribution of another client sees it.
 *
 * @param name its name, or its address if the file names none
 * @param isNamed the file gives the name
 * @param index its place in the file
 * @param weight at least 1
 * @param slots those that it has, under a distribution with slots
 */
public record Shard(String name, boolean isNamed, int index, int weight, BitSet slots) {}
