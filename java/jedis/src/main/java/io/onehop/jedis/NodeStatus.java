package io.onehop.jedis;

import io.onehop.core.Role;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;

/**
 * What a client knows about one node at one moment. The numbers are read one by one, and calls
 * continue in that time. The counters are those of spec/meter. They start at zero when the client
 * first has this node.
 *
 * @param name the name that placement uses
 * @param address {@code host:port}, or the path of a unix socket
 * @param weight as configured
 * @param role its role in a Redis Cluster or for its Sentinels; {@link Role#REPLICA} for every
 *     replica; elsewhere {@link Role#NONE}
 * @param master the name of the master that a replica follows; otherwise {@code null}
 * @param share its part of the key space, 0 to 1, as keys are placed now
 * @param state whether it is asked
 * @param restsFor how long it will still rest or be ejected; zero if the next call asks it
 * @param failures failures in a row
 * @param reason its last failure; {@code null} while it is up
 * @param leased connections in use
 * @param idle connections that are open and not in use
 * @param poolSize the maximum number of connections
 * @param since when the client first had this node; its counters began then
 * @param lastAnswered when a call last succeeded, exact to 100 ms; {@code null} before the first
 * @param calls commands, or parts of batches, that have ended, successfully or not
 * @param errors calls that failed
 * @param recentErrors errors of the last five minutes
 * @param redirects replies that redirected a command to another node
 * @param leases connections handed out
 * @param waits calls that found no connection free, whether they got one later or failed
 * @param connects attempts to connect
 * @param bytesSent bytes sent on its connections
 * @param bytesReceived bytes received on its connections
 * @param p50 median duration of successful calls; zero if there were none
 * @param p99 99th percentile of the same durations
 */
@SuppressWarnings("exports") // Programs compile without the annotations.
public record NodeStatus(
        String name,
        String address,
        int weight,
        Role role,
        @Nullable String master,
        double share,
        State state,
        Duration restsFor,
        int failures,
        @Nullable String reason,
        int leased,
        int idle,
        int poolSize,
        Instant since,
        @Nullable Instant lastAnswered,
        long calls,
        long errors,
        long recentErrors,
        long redirects,
        long leases,
        long waits,
        long connects,
        long bytesSent,
        long bytesReceived,
        Duration p50,
        Duration p99) {

    /** Whether a node is asked. */
    public enum State {
        /** It answers, or nothing was sent to it yet. */
        UP,
        /** It has failed. Calls for its keys fail immediately, except for one probe at a time. */
        RESTING,
        /** It has failed, and its keys are on other nodes. */
        EJECTED,
        /** Its ejection is over, so its keys are on it again. It has not answered since. */
        RETURNED,
        /** The client is closed and asks no node. */
        CLOSED
    }
}
