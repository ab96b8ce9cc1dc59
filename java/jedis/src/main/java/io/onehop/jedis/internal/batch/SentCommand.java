package io.onehop.jedis.internal.batch;

import io.onehop.jedis.internal.pool.Pool;

import redis.clients.jedis.CommandArguments;

import java.util.function.Supplier;

/**
 * A command that may have to be sent again.
 *
 * @param asked the node that it was sent to
 * @param home its home, or in a Redis Cluster its slot
 * @param arguments its words, which may have to be decoded first
 * @param sink takes its reply, from whichever node
 */
public record SentCommand(
        Pool asked, int home, Supplier<CommandArguments> arguments, ReplySink sink) {}
