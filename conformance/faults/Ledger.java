/*
 * One Java client with several threads. Each thread has a ledger of its keys: what it has
 * written, and what was acknowledged. The threads write and read until the file `stop` exists,
 * while slots move and masters die. Then it prints as JSON what each thread has met. ledger.php
 * is the same in PHP, and says what counts as wrong or lost.
 *
 * A single-file program: `java -cp JAR Ledger.java CONFIG DIRECTORY THREADS`, where JAR
 * is the testee's.
 */

import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.PartialBatch;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Response;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.stream.Collectors;

public final class Ledger implements Runnable {
    private static final int WRITES = 100; // Writes in a batch; there are as many reads.
    private static final int PAUSE_MS = 5; // After each batch, if the file `calm` exists.

    private final OneHopClient client;
    private final Path directory;
    private final List<String> keys;
    private final Map<String, Integer> tried = new HashMap<>();
    private final Map<String, Integer> known = new HashMap<>(); // Acknowledged, or seen.
    private final Map<String, Double> since = new HashMap<>(); // When it was acknowledged or seen.
    // Values that were reported as not sent.
    private final Set<String> never = new HashSet<>();
    private final List<String> wrong = new ArrayList<>();
    private final List<String> lost = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private int batches;
    private long writes;
    private long reads;

    private Ledger(OneHopClient client, Path directory, List<String> keys) {
        this.client = client;
        this.directory = directory;
        this.keys = keys;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path directory = Path.of(arguments[1]);
        String[] tags = Files.readString(directory.resolve("tags")).split(",");
        OneHopClient client =
                OneHopClient.builder().config(Path.of(arguments[0])).pool("alpha").build();
        List<Ledger> ledgers = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < Integer.parseInt(arguments[2]); number++) {
            String name = "java" + number;
            ledgers.add(
                    new Ledger(
                            client,
                            directory,
                            List.of(tags).stream().map(tag -> "{" + tag + "}" + name).toList()));
            threads.add(new Thread(ledgers.get(number)));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        long redirects = client.status().nodes().stream().mapToLong(node -> node.redirects()).sum();
        System.out.println("{\"redirects\": " + redirects + ", \"ledgers\": " + ledgers + "}");
        System.exit(0); // The client's pools keep threads.
    }

    @Override
    public void run() {
        while (!Files.exists(directory.resolve("stop"))) {
            batches++;
            batch(Files.exists(directory.resolve("pairs")));
            List<String> alone = chosen(2);
            call(
                    alone.subList(0, 1),
                    List.of(),
                    () -> List.of(client.set(alone.get(0), next(alone.get(0)))));
            call(List.of(), alone.subList(1, 2), () -> listOf(client.get(alone.get(1))));
            if (Files.exists(directory.resolve("calm"))) {
                pause(PAUSE_MS);
            }
        }
        for (int from = 0; from < keys.size(); from += 500) {
            List<String> some = keys.subList(from, Math.min(from + 500, keys.size()));
            call(List.of(), some, () -> new ArrayList<>(client.mget(some.toArray(new String[0]))));
        }
    }

    private static List<Object> listOf(Object element) {
        List<Object> list = new ArrayList<>();
        list.add(element);
        return list;
    }

    /** {@code count} of the keys, at random. */
    private List<String> chosen(int count) {
        Set<Integer> chosen = new LinkedHashSet<>();
        while (chosen.size() < count) {
            chosen.add(ThreadLocalRandom.current().nextInt(keys.size()));
        }
        return chosen.stream().map(keys::get).toList();
    }

    private void batch(boolean isInPairs) {
        List<String> chosen = chosen(2 * WRITES);
        List<String> written = chosen.subList(0, WRITES);
        List<String> read = isInPairs ? written : chosen.subList(WRITES, 2 * WRITES);
        List<Response<String>> acknowledged = new ArrayList<>();
        List<Response<String>> values = new ArrayList<>();
        call(
                written,
                read,
                () -> {
                    AbstractPipeline pipeline = client.pipelined();
                    for (int i = 0; i < WRITES; i++) {
                        acknowledged.add(pipeline.set(written.get(i), next(written.get(i))));
                        values.add(pipeline.get(read.get(i)));
                    }
                    RuntimeException failure = null;
                    try {
                        pipeline.sync();
                    } catch (OneHopException failed) {
                        failure = failed; // Each response has its own failure.
                    }
                    List<Object> replies = new ArrayList<>();
                    acknowledged.forEach(reply -> replies.add(reply(reply)));
                    values.forEach(reply -> replies.add(reply(reply)));
                    if (failure != null) {
                        count(failure, "batch");
                    }
                    return replies;
                });
    }

    private static Object reply(Response<String> response) {
        try {
            return response.get();
        } catch (RuntimeException failed) {
            return failed;
        }
    }

    private String next(String key) {
        return key + "=" + tried.merge(key, 1, Integer::sum);
    }

    private double begun;

    /** Runs the work, then checks the replies to the writes and those to the reads. */
    private void call(List<String> written, List<String> read, Supplier<List<Object>> work) {
        begun = now();
        List<Object> replies;
        try {
            replies = work.get();
        } catch (PartialBatch partial) {
            count(partial, "batch");
            replies = partial.getReplies();
        } catch (RuntimeException failed) {
            count(
                    failed,
                    written.size() + read.size() > 1
                            ? "batch"
                            : written.isEmpty() ? "read" : "write");
            replies = new ArrayList<>();
            for (int i = 0; i < written.size() + read.size(); i++) {
                replies.add(failed);
            }
        }
        for (int i = 0; i < written.size(); i++) {
            wrote(written.get(i), replies.get(i));
        }
        for (int i = 0; i < read.size(); i++) {
            found(read.get(i), replies.get(written.size() + i));
        }
    }

    private void count(RuntimeException failure, String what) {
        if (failure instanceof PartialBatch partial) {
            partial.getFailures().values().forEach(one -> count(one, "part of a batch"));
            return;
        }
        boolean isOurs = failure instanceof OneHopException;
        OneHopException ours = isOurs ? (OneHopException) failure : null;
        String kind = isOurs ? failure.getClass().getSimpleName() : failure.getClass().getName();
        failures.add(
                "["
                        + String.format(Locale.ROOT, "%.6f, %.6f, ", begun, now())
                        + quoted(kind)
                        + ", "
                        + (ours == null || ours.mayHaveExecuted())
                        + ", "
                        + quoted(ours == null ? null : ours.getNode())
                        + ", "
                        + quoted(what)
                        + ", "
                        + quoted(failure.getMessage())
                        + "]");
        pause(10);
    }

    private static void pause(int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException nobodyDoes) {
            Thread.currentThread().interrupt();
        }
    }

    private void wrote(String key, Object reply) {
        int number = tried.get(key);
        if ("OK".equals(reply)) {
            writes++;
            known.merge(key, number, Math::max);
            since.put(key, now());
        } else if (!(reply instanceof OneHopException failure)) {
            wrong.add(quoted("SET " + key + " " + number + ": " + reply));
        } else if (!failure.mayHaveExecuted()) {
            never.add(key + "=" + number);
        }
    }

    private void found(String key, Object reply) {
        if (reply instanceof OneHopException) {
            return;
        }
        reads++;
        int seen = known.getOrDefault(key, 0);
        int last = tried.getOrDefault(key, 0);
        int number =
                reply == null
                        ? 0
                        : reply instanceof String value && value.startsWith(key + "=")
                                ? Integer.parseInt(value.substring(key.length() + 1))
                                : -1;
        if (number < 0 || number > last || never.contains(String.valueOf(reply))) {
            wrong.add(quoted("GET " + key + ", " + seen + " to " + last + ": " + reply));
            return;
        }
        if (number < seen) {
            lost.add(
                    "["
                            + String.format(Locale.ROOT, "%.6f, %.6f, ", since.get(key), now())
                            + quoted(key + " is " + number + ", not " + seen)
                            + "]");
        }
        if (number != seen) {
            known.put(key, number);
            since.put(key, now());
        }
    }

    private static double now() {
        return System.currentTimeMillis() / 1000.0;
    }

    private static String quoted(String text) {
        return text == null ? "null" : '"' + text.replaceAll("[\\\\\"\\p{Cntrl}]", "?") + '"';
    }

    private static String list(Collection<String> elements) {
        return elements.stream().collect(Collectors.joining(", ", "[", "]"));
    }

    @Override
    public String toString() {
        return "{\"batches\": "
                + batches
                + ", \"writes\": "
                + writes
                + ", \"reads\": "
                + reads
                + ", \"wrong\": "
                + list(wrong)
                + ", \"lost\": "
                + list(lost)
                + ", \"failures\": "
                + list(failures)
                + "}";
    }
}
