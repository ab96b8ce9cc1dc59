package io.onehop.jedis;

import io.onehop.core.command.Words;
import redis.clients.jedis.CommandArguments;

/** A command as Jedis built it, as the table reads it. */
record ArgumentWords(CommandArguments arguments) implements Words {
    @Override
    public int count() {
        return arguments.size();
    }

    @Override
    public byte[] word(int place) {
        return arguments.get(place).getRaw();
    }
}
