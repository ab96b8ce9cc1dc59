package io.onehop.spring;

import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.OneHopPipeline;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.Response;
import redis.clients.jedis.args.ListDirection;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.params.RestoreParams;
import redis.clients.jedis.util.KeyValue;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Does the work of a command whose keys are on two nodes, by several commands. Spring's own cluster
 * connections emulate the same commands, so Spring Session and repositories rely on them. No
 * emulated command is atomic; docs/spring.md says what another client may see. Any thread may use
 * this class.
 */
final class Emulation {
    private final OneHopClient client;

    Emulation(OneHopClient client) {
        this.client = client;
    }

    /* ---- A key moves ---- */

    /** RENAME, which keeps the time to live. For a moment both keys are there. */
    String rename(byte[] from, byte[] to) {
        move(from, to, RestoreParams.restoreParams().replace());
        return "OK";
    }

    /** RENAMENX, which keeps the time to live. For a moment both keys are there. */
    long renamenx(byte[] from, byte[] to) {
        try {
            move(from, to, RestoreParams.restoreParams());
            return 1;
        } catch (JedisDataException thrown) {
            if (thrown.getMessage() != null && thrown.getMessage().startsWith("BUSYKEY")) {
                return 0;
            }
            throw thrown;
        }
    }

    private void move(byte[] from, byte[] to, RestoreParams params) {
        Response<byte[]> dumped;
        Response<Long> left;
        // A transaction reads from the master: a replica might have an older value.
        try (AbstractTransaction both = client.multi()) {
            dumped = both.dump(from);
            left = both.pttl(from);
            both.exec();
        }
        byte[] value = dumped.get();
        long ttl = left.get();
        if (value == null) {
            throw new JedisDataException("ERR no such key");
        }
        // In RESTORE, 0 means no time to live. In a reply to PTTL, it means less than 1 ms.
        client.restore(to, ttl == 0 ? 1 : Math.max(ttl, 0), value, params);
        client.del(from);
    }

    /* ---- An element moves ---- */

    /** SMOVE. For a moment the member is in both sets. */
    long smove(byte[] from, byte[] to, byte[] member) {
        if (!isMember(from, member)) {
            return 0;
        }
        boolean isNew = client.sadd(to, member) == 1;
        long moved = client.srem(from, member);
        if (moved == 0 && isNew) { // Another client has moved the member.
            client.srem(to, member);
        }
        return moved;
    }

    /** True if the set on the master has this member. */
    private boolean isMember(byte[] set, byte[] member) {
        try (AbstractTransaction alone = client.multi()) {
            Response<Boolean> isMember = alone.sismember(set, member);
            alone.exec();
            return isMember.get();
        }
    }

    /** LMOVE and RPOPLPUSH. For a moment the element is in no list. */
    byte @Nullable [] lmove(byte[] from, byte[] to, ListDirection pop, ListDirection push) {
        byte[] element = pop == ListDirection.LEFT ? client.lpop(from) : client.rpop(from);
        return element == null ? null : pushed(element, from, to, pop, push);
    }

    /** BLMOVE and BRPOPLPUSH. For a moment the element is in no list. */
    byte @Nullable [] blmove(
            byte[] from, byte[] to, ListDirection pop, ListDirection push, double seconds) {
        KeyValue<byte[], byte[]> popped =
                pop == ListDirection.LEFT
                        ? client.blpop(seconds, new byte[][] {from})
                        : client.brpop(seconds, new byte[][] {from});
        return popped == null ? null : pushed(popped.getValue(), from, to, pop, push);
    }

    /**
     * Pushes the element to the other list. If that fails, the element goes back into its old list:
     * it is better to have the element twice than never.
     */
    private byte[] pushed(
            byte[] element, byte[] from, byte[] to, ListDirection pop, ListDirection push) {
        try {
            push(element, to, push);
            return element;
        } catch (RuntimeException failure) {
            try {
                push(element, from, pop);
            } catch (RuntimeException lost) {
                failure.addSuppressed(lost);
            }
            throw failure;
        }
    }

    private void push(byte[] element, byte[] list, ListDirection end) {
        if (end == ListDirection.LEFT) {
            client.lpush(list, element);
        } else {
            client.rpush(list, element);
        }
    }

    /* ---- Sets: all nodes send members in parallel, and they are combined here ---- */

    Set<byte[]> sinter(byte[]... keys) {
        return combined(keys, Set::retainAll);
    }

    Set<byte[]> sunion(byte[]... keys) {
        return combined(keys, Set::addAll);
    }

    Set<byte[]> sdiff(byte[]... keys) {
        return combined(keys, Set::removeAll);
    }

    private Set<byte[]> combined(
            byte[][] keys, BiConsumer<Set<byte[]>, Collection<byte[]>> combine) {
        List<Response<Set<byte[]>>> replies;
        try (OneHopPipeline batch = client.pipelined()) {
            replies = Arrays.stream(keys).map(batch::smembers).toList();
            batch.sync();
        }
        Set<byte[]> result = members(replies.get(0));
        replies.stream().skip(1).forEach(reply -> combine.accept(result, members(reply)));
        return result;
    }

    /** The members of a set, compared by their bytes. */
    private static Set<byte[]> members(Response<Set<byte[]>> reply) {
        Set<byte[]> members = new TreeSet<>(Arrays::compare);
        members.addAll(reply.get());
        return members;
    }

    /** SINTERSTORE, SUNIONSTORE and SDIFFSTORE. One transaction replaces the target. */
    long store(byte[] target, Supplier<Set<byte[]>> members) {
        byte[][] found = members.get().toArray(new byte[0][]);
        try (AbstractTransaction transaction = client.multi()) {
            transaction.del(target);
            if (found.length > 0) {
                transaction.sadd(target, found);
            }
            transaction.exec();
        }
        return found.length;
    }
}
