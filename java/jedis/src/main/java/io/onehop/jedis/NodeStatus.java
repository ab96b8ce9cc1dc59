package io.onehop.jedis;

import io.onehop.core.Role;

import java.time.Duration;

/**
 * What a client knows of one node at some moment; each number by itself, since calls go on
 * meanwhile. The counters are those of spec/meter, since the client has this node.
 *
 * @param name as placement knows it
 * @param address {@code host:port}, or the path of a unix socket
 * @param weight as configured
 * @param role what it is to a Redis Cluster; elsewhere {@link Role#NONE}
 * @param master the name of the node that a replica follows; otherwise {@code null}
 * @param share of the key space, 0 to 1, as keys are placed now
 * @param state whether it is asked
 * @param restsFor how long it still rests or is ejected; zero if it is up
 * @param failures in a row
 * @param reason what it failed by last; {@code null} while it is up
 * @param leased connections in use
 * @param idle connections that are open and not in use
 * @param poolSize how many there may be
 * @param calls commands, or parts of batches, that ended, well or not
 * @param errors those that failed
 * @param redirects replies after which a command was sent on to another node
 * @param leases connections handed out
 * @param waits leases that waited for a connection to get free
 * @param connects connections that were begun to be made
 * @param bytesSent on its connections
 * @param bytesReceived on its connections
 * @param p50 half of the calls that ended well took less; zero if there were none
 * @param p99 99 of 100 took less
 */
public record NodeStatus(
        String name,
        String address,
        int weight,
        Role role,
        String master,
        double share,
        State state,
        Duration restsFor,
        int failures,
        String reason,
        int leased,
        int idle,
        int poolSize,
        long calls,
        long errors,
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
        UP,
        /** It has failed: its keys fail at once, but for one caller at a time. */
        RESTING,
        /** It has failed, and its keys are on other nodes. */
        EJECTED,
        /** The client was closed: it asks nobody. */
        CLOSED
    }
}
