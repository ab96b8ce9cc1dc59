package io.onehop.jedis;

import io.onehop.core.Topology;

/**
 * A configuration that has changed. The listener gets it before the first call uses the new one.
 *
 * @param before the topology until now
 * @param after the next topology
 * @param moved how many keys get another node, in tenths of a per cent
 * @param generation the number of the new configuration; the first one of a client is 1
 */
public record TopologyChange(Topology before, Topology after, int moved, long generation) {}
