package io.onehop.jedis.internal.route;

import io.onehop.jedis.internal.batch.Batch;
import io.onehop.jedis.internal.command.MovingKeys;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.snapshot.Snapshot;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;

/**
 * Runs the batches of a snapshot whose keys move from another ring, in the rounds of {@link
 * MovingRounds}. Any thread; but a batch belongs to one.
 */
final class MovingRunner extends BatchRunner {
    private final KeyBringer bringer;

    MovingRunner(Snapshot snapshot, ClientState client, @Nullable Deadline begun) {
        super(snapshot, client, begun);
        MovingKeys keys = new MovingKeys(snapshot.topology(), snapshot.keys());
        this.bringer = new KeyBringer(snapshot, keys, this::run);
    }

    @Override
    public Batch begin() {
        return Batch.of(snapshot(), new MovingRounds(snapshot(), this::bring, this::run));
    }

    /** The rounds of a batch that this runner has begun. */
    static MovingRounds rounds(Batch batch) {
        if (batch.forwarding() instanceof MovingRounds rounds) {
            return rounds;
        }
        throw new IllegalArgumentException("a batch of another runner");
    }

    @Override
    void run(Batch batch, Deadline deadline) {
        rounds(batch).begin(deadline);
        super.run(batch, deadline);
    }

    private Map<ByteBuffer, RuntimeException> bring(List<byte[]> keys, Deadline deadline) {
        return bringer.bring(keys, null, deadline);
    }

    /** Brings these keys. Throws the error or the failure of one that could not be brought. */
    void bring(List<byte[]> keys, @Nullable Pool held, Deadline deadline) {
        Map<?, RuntimeException> missing = bringer.bring(keys, held, deadline);
        if (!missing.isEmpty()) {
            throw missing.values().iterator().next();
        }
    }
}
