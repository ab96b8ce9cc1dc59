package io.onehop.jedis;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The memory that the batches of one node are encoded in, kept from batch to batch: Jedis keeps a buffer with each
 * connection, we have no connection yet when a batch is encoded.
 *
 * <p>Bounded; what is not given back is the collector's. Any thread; there is no lock that an Error could leave locked.
 */
final class Blocks {
    /** A quarter of 1000 HGETs is 12 KB. */
    static final int BYTES = 1 << 14;

    private static final int KEPT_MAX = 16;

    private final AtomicReferenceArray<byte[]> kept = new AtomicReferenceArray<>(KEPT_MAX);

    /** A kept block, or {@code null}. */
    byte[] kept() {
        for (int i = 0; i < KEPT_MAX; i++) {
            byte[] block = kept.get(i);
            if (block != null && kept.compareAndSet(i, block, null)) {
                return block;
            }
        }
        return null;
    }

    /** Gives a block back that nobody will look at again; of another size it is not kept. */
    void give(byte[] block) {
        for (int i = 0; i < KEPT_MAX && block.length == BYTES; i++) {
            if (kept.get(i) == null && kept.compareAndSet(i, null, block)) {
                return;
            }
        }
    }
}
