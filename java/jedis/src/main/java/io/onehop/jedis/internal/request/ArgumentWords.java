package io.onehop.jedis.internal.request;

import io.onehop.core.command.CommandWords;

import redis.clients.jedis.CommandArguments;

/** A command as Jedis built it, in the form that the command table reads. */
public record ArgumentWords(CommandArguments arguments) implements CommandWords {
    @Override
    public int count() {
        return arguments.size();
    }

    @Override
    public byte[] word(int position) {
        return arguments.get(position).getRaw();
    }
}
