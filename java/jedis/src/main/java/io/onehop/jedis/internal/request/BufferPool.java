package io.onehop.jedis.internal.request;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The memory in which the batches of one node are encoded. The memory is used again from batch to
 * batch. Jedis keeps a buffer with each connection, but a batch is encoded before it has a
 * connection.
 *
 * <p>The pool is bounded: a block that it does not keep is left to the garbage collector. Any
 * thread. The pool uses no lock, so no Error can leave a lock locked.
 */
public final class BufferPool {
    /** Room for 250 HGETs (12 KB): the part of one of 4 nodes in a batch of 1000. */
    static final int BYTES = 1 << 14;

    /** Enough for most batches. */
    static final int FEW_BYTES = 1 << 12;

    private static final int KEPT_MAX = 16; // How many blocks of each size are kept.

    private final AtomicReferenceArray<byte[]> large = new AtomicReferenceArray<>(KEPT_MAX);
    private final AtomicReferenceArray<byte[]> small = new AtomicReferenceArray<>(KEPT_MAX);

    /** The first block of a batch. */
    byte[] first() {
        byte[] kept = taken(large);
        kept = kept != null ? kept : taken(small);
        return kept != null ? kept : new byte[FEW_BYTES];
    }

    /** A further block of a batch. */
    byte[] next() {
        byte[] kept = taken(large);
        return kept != null ? kept : new byte[BYTES];
    }

    private static byte @Nullable [] taken(AtomicReferenceArray<byte[]> kept) {
        for (int i = 0; i < KEPT_MAX; i++) {
            byte[] block = kept.get(i);
            if (block != null && kept.compareAndSet(i, block, null)) {
                return block;
            }
        }
        return null;
    }

    /** Gives back a block that is no longer in use. Blocks of other sizes are not kept. */
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
