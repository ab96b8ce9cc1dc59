package io.onehop.jedis;

import java.util.concurrent.ArrayBlockingQueue;

/**
 * The memory that the batches of one node are encoded in, kept from batch to batch: Jedis keeps a buffer with each
 * connection, we have no connection yet when a batch is encoded.
 *
 * <p>Bounded; what is not given back is the collector's. Any thread.
 */
final class Blocks {
    /** A quarter of 1000 HGETs is 12 KB. */
    static final int BYTES = 1 << 14;

    private static final int KEPT_MAX = 16;

    private final ArrayBlockingQueue<byte[]> kept = new ArrayBlockingQueue<>(KEPT_MAX);

    /** A kept block, or {@code null}. */
    byte[] kept() {
        return kept.poll();
    }

    /** Gives a block back that nobody will look at again; of another size it is not kept. */
    void give(byte[] block) {
        if (block.length == BYTES) {
            kept.offer(block);
        }
    }
}
