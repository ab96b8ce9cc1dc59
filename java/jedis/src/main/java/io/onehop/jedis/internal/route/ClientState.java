package io.onehop.jedis.internal.route;

import io.onehop.core.command.KeptCursors;
import io.onehop.jedis.internal.batch.RetryBudget;
import io.onehop.jedis.internal.command.Scripts;
import io.onehop.jedis.internal.nodes.Cluster;
import io.onehop.jedis.internal.nodes.Sentinels;

import org.jspecify.annotations.Nullable;

/**
 * What all routes of a client share, whichever snapshot they use. Any thread.
 *
 * @param observer sees all calls; {@code null}: there is none
 */
record ClientState(
        Cluster cluster,
        Sentinels sentinels,
        @Nullable CallObserver observer,
        RetryBudget budget,
        Scripts scripts,
        KeptCursors cursors) {

    /** The state of a new client. */
    ClientState(Cluster cluster, Sentinels sentinels, @Nullable CallObserver observer) {
        this(cluster, sentinels, observer, new RetryBudget(), new Scripts(), new KeptCursors());
    }
}
