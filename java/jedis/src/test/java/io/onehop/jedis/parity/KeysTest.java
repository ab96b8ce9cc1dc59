package io.onehop.jedis.parity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.command.CommandWords.Malformed;
import io.onehop.core.command.KeyPositions;
import io.onehop.jedis.Unsupported;
import io.onehop.jedis.internal.command.Commands;
import io.onehop.jedis.internal.request.RoutedArguments;
import io.onehop.jedis.internal.request.RoutedArguments.ArgumentWords;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.Test;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.CommandObjects;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.args.Rawable;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.SafeEncoder;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Placement uses the keys that the command table finds. For every command that Jedis can build,
 * these are the keys that the server finds, and among them are the keys that Jedis has marked.
 */
class KeysTest {

    private static Set<String> collected(CommandArguments command) {
        ArgumentWords words = new ArgumentWords(command);
        try {
            Set<String> keys = new TreeSet<>();
            KeyPositions positions = Commands.find(command, "alpha", false).keys(words);
            for (int i = 0; i < positions.count(); i++) {
                keys.add(new String(words.word(positions.position(i)), StandardCharsets.UTF_8));
            }
            return keys;
        } catch (Malformed notThisOne) {
            return Set.of(notThisOne.getMessage());
        }
    }

    private static Set<String> marked(CommandArguments command) {
        Set<String> keys = new TreeSet<>();
        for (Object key : command.getKeys()) {
            keys.add(key instanceof byte[] bytes ? SafeEncoder.encode(bytes) : key.toString());
        }
        return keys;
    }

    /** The keys that the server finds, or {@code null} if it does not know the command. */
    private static Set<String> found(Jedis server, CommandArguments command) {
        CommandArguments question = new CommandArguments(Command.COMMAND).add("GETKEYS");
        for (Rawable argument : command) {
            question.add(argument.getRaw());
        }
        try {
            Set<String> keys = new TreeSet<>();
            for (Object key : (List<?>) server.getConnection().executeCommand(question)) {
                keys.add(new String((byte[]) key, StandardCharsets.UTF_8));
            }
            return keys;
        } catch (JedisDataException unknown) {
            return null;
        }
    }

    private static boolean isRefused(CommandArguments command) {
        try {
            Commands.served(Commands.find(command, "alpha", false), "alpha");
            return false;
        } catch (Unsupported refused) {
            return true;
        }
    }

    private static CommandArguments built(CommandObjects objects, Method method) {
        try {
            Object[] arguments = new Arguments(1, "{t}string", "1", "2", "3").of(method);
            Object built = method.invoke(objects, arguments);
            return built instanceof CommandObject<?> object ? object.getArguments() : null;
        } catch (Arguments.Unmakeable
                | InvocationTargetException
                | IllegalAccessException notThisOne) {
            return null;
        }
    }

    @Test
    void theTableFindsTheSameKeysAsTheServer() {
        CommandObjects objects = new RoutedArguments.Factory(RedisProtocol.RESP2);
        Map<String, String> differences = new TreeMap<>();
        int compared = 0;
        try (RedisServer server = RedisServer.start();
                Jedis jedis = server.jedis()) {
            for (Method method : CommandObjects.class.getMethods()) {
                boolean isBuilder =
                        CommandObject.class.isAssignableFrom(method.getReturnType())
                                && !Modifier.isStatic(method.getModifiers());
                CommandArguments command = isBuilder ? built(objects, method) : null;
                Set<String> found = command == null ? null : found(jedis, command);
                // The command has no key, or only a sample key that names a node.
                if (found == null || found.isEmpty() || isRefused(command)) {
                    continue;
                }
                compared++;
                if (!found.equals(collected(command)) || !found.containsAll(marked(command))) {
                    differences.put(
                            method.getName() + Arrays.toString(method.getParameterTypes()),
                            collected(command)
                                    + ", marked: "
                                    + marked(command)
                                    + " but the server: "
                                    + found);
                }
            }
        }
        assertEquals(Map.of(), differences);
        assertTrue(compared > 450, "compared: " + compared);
    }
}
