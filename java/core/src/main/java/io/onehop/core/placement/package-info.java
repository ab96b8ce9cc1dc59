/**
 * From a hash to a node, one distribution per file, with one signature. {@link
 * io.onehop.core.topology.PoolTopology} uses them. spec/placement.
 */
package io.onehop.core.placement;
