package io.onehop.jedis.internal.route;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.Node;
import io.onehop.core.base.Message;
import io.onehop.core.base.Timings;
import io.onehop.core.command.Bring;
import io.onehop.core.topology.Directive;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.batch.Batch;
import io.onehop.jedis.internal.batch.BatchExchange;
import io.onehop.jedis.internal.batch.ReplySink;
import io.onehop.jedis.internal.command.MovingKeys;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.request.RoutedArguments;
import io.onehop.jedis.internal.snapshot.Snapshot;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.exceptions.JedisDataException;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;

/**
 * Brings keys from their old owners to their owners, all of them in parallel.
 *
 * <p>In: keys that move. Out: the keys that could not be brought, each with the error or the
 * failure. A failure says that the caller's command was not sent. Any thread. Implements
 * spec/topology/moving.md, section 2, "Bringing".
 */
final class KeyBringer {
    private final Snapshot snapshot;
    private final MovingKeys keys;
    private final BiConsumer<List<BatchExchange>, Deadline> send;

    /** {@code send} runs exchanges until each is done or failed, by the deadline. */
    KeyBringer(Snapshot snapshot, MovingKeys keys, BiConsumer<List<BatchExchange>, Deadline> send) {
        this.snapshot = snapshot;
        this.keys = keys;
        this.send = send;
    }

    /** One key on its way. */
    private static final class Job {
        private final Bring steps;
        private final int old;
        private final int owner;
        private final List<Object> replies = new ArrayList<>();

        Job(Bring steps, int old, int owner) {
            this.steps = steps;
            this.old = old;
            this.owner = owner;
        }
    }

    /**
     * Returns, by key, why it could not be brought. Keys that were brought are left out. The caller
     * may have leased a connection of {@code held}, perhaps the only one of that pool.
     */
    Map<ByteBuffer, RuntimeException> bring(
            Collection<byte[]> moving, @Nullable Pool held, Deadline deadline) {
        Map<ByteBuffer, RuntimeException> failures = new HashMap<>();
        Map<ByteBuffer, Job> jobs = new LinkedHashMap<>();
        for (byte[] key : moving) {
            try {
                jobs.computeIfAbsent(ByteBuffer.wrap(key), each -> job(key, deadline));
            } catch (OneHopException resting) {
                failures.put(ByteBuffer.wrap(key), resting);
            }
        }
        List<Job> open = new ArrayList<>(jobs.values());
        while (!open.isEmpty()) {
            round(open, held, deadline);
            open.removeIf(job -> job.steps.end() != Bring.End.NONE);
        }
        jobs.forEach(
                (key, job) -> {
                    if (job.steps.end() != Bring.End.BROUGHT) {
                        failures.put(key, reason(job));
                    }
                });
        return failures;
    }

    private RuntimeException reason(Job job) {
        if (job.steps.end() == Bring.End.NAMELESS) {
            int nameless = job.steps.isOldFailed() ? job.old : job.owner;
            return Failure.of(
                    Message.NO_RUN_ID,
                    snapshot.pools()[nameless].endpoint().nodeName(),
                    Outcome.NOT_SENT,
                    null);
        }
        return job.steps.cause() instanceof JedisDataException error
                ? error
                : Failure.unsent((OneHopException) Objects.requireNonNull(job.steps.cause()));
    }

    /**
     * Throws if the owner rests, because an old owner that migrates a key to it would wait for it.
     */
    private Job job(byte[] key, Deadline deadline) {
        int owner = keys.owner(key);
        int old = keys.oldOwner(key);
        snapshot.pools()[owner].requireNotResting();
        return new Job(new Bring(key, target(old, owner, deadline)), old, owner);
    }

    /** Where a key is migrated to; {@code null} if its old owner may not migrate. */
    private Bring.@Nullable Target target(int old, int owner, Deadline deadline) {
        ServerPool pool = snapshot.pool();
        List<Node> nodes = snapshot.topology().byIndex();
        Node to = nodes.get(owner);
        String host = to.host();
        if (host == null
                || snapshot.hasProvider() // What the provider returns is for one connection.
                || !snapshot.pools()[old].mayMigrate()
                || !snapshot.topology().mayMigrate(nodes.get(old), to)) {
            return null;
        }
        return new Bring.Target(
                host,
                to.port(),
                snapshot.database(),
                deadline.thirdMs(Timings.MIGRATE_MS),
                Bring.Target.auth(pool.text(Directive.USERNAME), pool.redisAuth()));
    }

    private void round(List<Job> open, @Nullable Pool held, Deadline deadline) {
        Batch batch = Batch.of(snapshot, null);
        for (Job job : open) {
            for (Bring.Question question : job.steps.next()) {
                BatchExchange exchange = batch.ofNode(question.isOfOld() ? job.old : job.owner);
                if (exchange.pool() == held) {
                    exchange.goBeyond();
                }
                exchange.append(RoutedArguments.of(question.words()), true, new Answer(job));
            }
        }
        send.accept(batch.used(), deadline);
        for (Job job : open) {
            job.steps.take(job.replies);
            job.replies.clear();
            if (job.steps.cannotMigrate()) {
                snapshot.pools()[job.old].cannotMigrate();
            }
        }
    }

    /** The reply to one question of a round. */
    private static final class Answer implements ReplySink {
        private final Job job;
        private final int number;

        Answer(Job job) {
            this.job = job;
            this.number = job.replies.size();
            job.replies.add(null);
        }

        @Override
        public boolean take(@Nullable Object reply) {
            job.replies.set(
                    number,
                    reply instanceof JedisDataException error
                            ? new Bring.Refusal(String.valueOf(error.getMessage()), error)
                            : reply);
            return true;
        }

        @Override
        public void fail(OneHopException failure) {
            job.replies.set(number, new Bring.Lost(!failure.mayHaveExecuted(), failure));
        }
    }
}
