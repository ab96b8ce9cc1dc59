package io.onehop.jedis;

import io.onehop.core.Topology;

/**
 * A configuration that has changed, told before the first call goes by it.
 *
 * @param before what calls went by until now
 * @param after what they go by next
 * @param moved how many of the keys have another node by it, in tenths of a per cent
 * @param generation the number of the configuration that comes now; the one the client was built
 *     with is 1
 */
public record TopologyChange(Topology before, Topology after, int moved, long generation) {}
