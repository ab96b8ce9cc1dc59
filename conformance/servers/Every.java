/*
 * Sends each command of the standard input, one a line: by itself, and in a pipeline. every.php is
 * the same in PHP, and says what is printed.
 *
 * A single-file program: `java -cp JAR Every.java CONFIG`, where JAR is the testee's.
 */

import io.onehop.jedis.CrossNode;
import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.OneHopPipeline;
import io.onehop.jedis.Unsupported;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.exceptions.JedisDataException;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

public final class Every {

    public static void main(String[] arguments) throws IOException {
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (OneHopClient redis =
                OneHopClient.builder().pool("alpha").config(Path.of(arguments[0])).build()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words =
                        Arrays.stream(line.split(" "))
                                .map(word -> word.equals("\"\"") ? "" : word)
                                .toArray(String[]::new);
                String alone = told(() -> redis.sendCommand(command(words), rest(words)));
                System.out.println(alone + "\t" + told(() -> pipeline(redis, words)));
            }
        }
    }

    private static redis.clients.jedis.commands.ProtocolCommand command(String[] words) {
        return () -> words[0].getBytes(StandardCharsets.UTF_8);
    }

    private static String[] rest(String[] words) {
        return Arrays.copyOfRange(words, 1, words.length);
    }

    private static void pipeline(OneHopClient redis, String[] words) {
        CommandArguments command = new CommandArguments(command(words));
        for (String word : rest(words)) {
            command.add(word);
        }
        try (OneHopPipeline pipeline = redis.pipelined()) {
            pipeline.sendCommand(command);
            pipeline.sync();
        }
    }

    private static String told(Runnable call) {
        try {
            call.run();
            return "served";
        } catch (Unsupported | CrossNode refusal) {
            return "refused: " + refusal.getMessage();
        } catch (OneHopException failure) {
            return "failed: " + failure.getMessage();
        } catch (JedisDataException error) {
            return "served";
        }
    }
}
