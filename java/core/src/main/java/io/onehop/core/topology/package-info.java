/**
 * One server pool as it is configured, and the immutable picture of where its keys are: nodes,
 * placement, fingerprint. Implements spec/topology.
 */
package io.onehop.core.topology;
