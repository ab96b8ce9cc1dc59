package io.onehop.jedis.internal.request;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The memory that the batches of one node are encoded in, kept from batch to batch: Jedis keeps a
 * buffer with each connection, we have no connection yet when a batch is encoded.
 *
 * <p>Bounded; what is not given back is the collector's. Any thread; there is no lock that an Error
 * could leave locked.
 */
public final class BufferPool {
    /** A quarter of 1000 HGETs is 12 KB. */
    static final int BYTES = 1 << 14;

    /** Most batches need no more. */
    static final int FEW_BYTES = 1 << 12;

    private static final int KEPT_MAX = 16; // Of each size.

    private final AtomicReferenceArray<byte[]> large = new AtomicReferenceArray<>(KEPT_MAX);
    private final AtomicReferenceArray<byte[]> small = new AtomicReferenceArray<>(KEPT_MAX);

    /** A block for a batch that begins. */
    byte[] first() {
        byte[] kept = taken(large);
        kept = kept != null ? kept : taken(small);
        return kept != null ? kept : new byte[FEW_BYTES];
    }

    /** A block for a batch that goes on. */
    byte[] next() {
        byte[] kept = taken(large);
        return kept != null ? kept : new byte[BYTES];
    }

    private static byte[] taken(AtomicReferenceArray<byte[]> kept) {
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
        if (block.length == BYTES) {
            keep(block, large);
        } else if (block.length == FEW_BYTES) {
            keep(block, small);
        }
    }

    private static void keep(byte[] block, AtomicReferenceArray<byte[]> kept) {
        for (int i = 0; i < KEPT_MAX; i++) {
            if (kept.get(i) == null && kept.compareAndSet(i, null, block)) {
                return;
            }
        }
    }
}
