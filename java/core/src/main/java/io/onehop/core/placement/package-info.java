/**
 * From a hash to a node, one distribution per file behind one signature. Use them through {@link
 * io.onehop.core.PoolTopology}. spec/placement.
 */
package io.onehop.core.placement;
