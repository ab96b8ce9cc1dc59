package io.onehop.jedis.internal.batch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;

import org.junit.jupiter.api.Test;

import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.RedisInputStream;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Recognizes the replies of missing keys, as the vectors of spec/topology/moving.md expect. */
class NothingTest {
    private static final Path PAGE = Path.of("../../spec/topology/vectors/moving.json");

    @SuppressWarnings("deprecation") // Protocol.read
    private static Object decoded(String resp) {
        byte[] bytes = resp.getBytes(StandardCharsets.UTF_8);
        try {
            return Protocol.read(new RedisInputStream(new ByteArrayInputStream(bytes)));
        } catch (JedisDataException error) { // An error is a reply, too, as for the wire.
            return error;
        }
    }

    @Test
    void repliesOfMissingKeysAreRecognizedAsInTheVectors() throws IOException {
        int count = 0;
        JsonObject page = JsonParser.parseString(Files.readString(PAGE)).getAsJsonObject();
        for (JsonElement group : page.getAsJsonArray("testGroups")) {
            if (!group.getAsJsonObject().get("type").getAsString().equals("NothingTest")) {
                continue;
            }
            for (JsonElement each : group.getAsJsonObject().getAsJsonArray("tests")) {
                JsonObject test = each.getAsJsonObject();
                assertEquals(
                        test.get("nothing").getAsBoolean(),
                        Nothing.is(decoded(test.get("resp").getAsString())),
                        test.get("comment").getAsString());
                count++;
            }
        }
        assertTrue(count > 0);
    }
}
