/*
 * The same as found.php, but in a JVM, and without its mode `write`.
 *
 * A single-file program: `java -cp JAR Found.java CONFIG read COUNT STOP`, or `... CONFIG sweep
 * COUNT`, where JAR is the testee's.
 */

import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.OneHopException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

public final class Found {
    private static final int BATCH = 100;

    private final OneHopClient client;
    private final int count;
    private final Map<String, long[]> found = new TreeMap<>();
    private final List<String> failures = new ArrayList<>();

    private Found(Path config, int count) {
        this.client = OneHopClient.builder().config(config).pool("alpha").build();
        this.count = count;
    }

    public static void main(String[] arguments) {
        Found found = new Found(Path.of(arguments[0]), Integer.parseInt(arguments[2]));
        if (arguments[1].equals("sweep")) {
            found.sweep();
        } else {
            found.read(Path.of(arguments[3]));
        }
        System.out.println(found);
        System.exit(0); // The client's pools keep threads.
    }

    private void sweep() {
        for (int from = 0; from < count; from += BATCH) {
            look(
                    IntStream.range(from, Math.min(count, from + BATCH))
                            .mapToObj(number -> "key:" + number)
                            .toList(),
                    this::mget);
        }
    }

    private void read(Path stop) {
        while (!Files.exists(stop)) {
            List<String> keys =
                    ThreadLocalRandom.current()
                            .ints(BATCH, 0, count)
                            .mapToObj(number -> "key:" + number)
                            .toList();
            look(keys, this::mget);
            look(keys.subList(0, 1), one -> Collections.singletonList(client.get(one.get(0))));
        }
    }

    private List<String> mget(List<String> keys) {
        return client.mget(keys.toArray(String[]::new));
    }

    private void look(List<String> keys, Function<List<String>, List<String>> read) {
        String known = client.topology().fingerprint();
        long[] counts = found.computeIfAbsent(known, each -> new long[3]);
        try {
            List<String> values = read.apply(keys);
            for (int i = 0; i < keys.size(); i++) {
                boolean isRight = ("value of " + keys.get(i)).equals(values.get(i));
                counts[0]++;
                counts[1] += isRight ? 1 : 0;
                counts[2] += values.get(i) != null && !isRight ? 1 : 0;
            }
        } catch (OneHopException failure) {
            failures.add(failure.getMessage());
        }
    }

    @Override
    public String toString() {
        String counts =
                found.entrySet().stream()
                        .map(
                                each ->
                                        String.format(
                                                "\"%s\": [%d, %d, %d]",
                                                each.getKey(),
                                                each.getValue()[0],
                                                each.getValue()[1],
                                                each.getValue()[2]))
                        .collect(Collectors.joining(", "));
        String told =
                failures.stream()
                        .map(text -> '"' + text.replaceAll("[\\\\\"\\p{Cntrl}]", "?") + '"')
                        .collect(Collectors.joining(", "));
        return "{\"found\": {" + counts + "}, \"failures\": [" + told + "]}";
    }
}
