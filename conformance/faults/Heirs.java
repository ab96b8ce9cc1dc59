/*
 * Java clients that make calls until the file `stop` exists: each argument JOB=CONFIG is a thread
 * with a client of its own. Then it prints as JSON how many calls each has made, and those that
 * failed or took long. heirs.php is the same in PHP, and says what the jobs are.
 *
 * A single-file program: `java -cp JAR Heirs.java DIRECTORY JOB=CONFIG...`, where JAR is the
 * testee's.
 */

import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.PartialBatch;

import redis.clients.jedis.AbstractPipeline;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

public final class Heirs implements Runnable {
    private static final double LONG_S = 0.02;
    private static final int PAUSE_MS = 2;

    private final String job;
    private final Path config;
    private final Path directory;
    private final String[] tags;
    private final OneHopClient client;
    private final List<String> noted = new ArrayList<>();
    private long calls;

    private Heirs(String job, Path config, Path directory) throws IOException {
        this.job = job;
        this.config = config;
        this.directory = directory;
        this.tags = Files.readString(directory.resolve("tags")).split(",");
        this.client = OneHopClient.builder().config(config).pool("alpha").build();
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path directory = Path.of(arguments[0]);
        List<Heirs> workers = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (String each : Arrays.asList(arguments).subList(1, arguments.length)) {
            String[] words = each.split("=");
            workers.add(new Heirs(words[0], Path.of(words[1]), directory));
            threads.add(new Thread(workers.get(workers.size() - 1)));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(workers);
        System.exit(0); // The clients' pools keep threads.
    }

    @Override
    public void run() {
        for (int i = 0;
                i < (job.equals("blocking") ? 3 : 30);
                i++) { // The first calls fetch the map and open connections.
            work("{" + anyTag() + "}");
        }
        calls = 0;
        noted.clear();
        String pool = config.getFileName().toString().replace(".yml", "");
        try {
            Files.writeString(directory.resolve("begun-java-" + job + "-" + pool), "");
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
        while (!Files.exists(directory.resolve("stop"))) {
            work("{" + anyTag() + "}");
            pause(PAUSE_MS);
        }
    }

    private String anyTag() {
        return tags[ThreadLocalRandom.current().nextInt(tags.length)];
    }

    private void work(String key) {
        switch (job) {
            case "single" -> {
                call("write", () -> client.set(key + ":single", "value"));
                call("read", () -> client.get(key + ":single"));
            }
            case "batch" -> call("batch", this::batch);
            case "blocking" -> call("blocking", () -> client.blpop(1, key + ":list"));
            default -> call("read", () -> client.get(key + ":single"));
        }
    }

    private void batch() {
        try (AbstractPipeline pipeline = client.pipelined()) {
            for (int i = 0; i < 12; i++) {
                String key = "{" + anyTag() + "}:batch";
                pipeline.set(key, "value");
                pipeline.get(key);
            }
            pipeline.sync();
        }
    }

    private void call(String what, Runnable work) {
        double begun = now();
        Collection<? extends OneHopException> failures = List.of();
        calls++;
        try {
            work.run();
        } catch (PartialBatch partial) {
            failures = partial.getFailures().values();
        } catch (OneHopException failure) {
            failures = List.of(failure);
        }
        double ended = now();
        for (OneHopException failure : failures) {
            String kind = quoted(failure.getClass().getSimpleName());
            note(begun, ended, what, kind, failure.mayHaveExecuted(), failure);
        }
        if (!failures.isEmpty()) {
            pause(10);
        } else if (ended - begun > LONG_S) {
            note(begun, ended, what, "null", false, null);
        }
    }

    private void note(
            double begun,
            double ended,
            String what,
            String kind,
            boolean mayHaveRun,
            OneHopException failure) {
        noted.add(
                String.format(Locale.ROOT, "[%.6f, %.6f, \"%s\", ", begun, ended, what)
                        + String.join(
                                ", ",
                                kind,
                                String.valueOf(mayHaveRun),
                                failure == null ? "null" : quoted(failure.getNode()),
                                failure == null ? "\"\"" : quoted(failure.getMessage()))
                        + "]");
    }

    private static void pause(int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException nobodyDoes) {
            Thread.currentThread().interrupt();
        }
    }

    private static double now() {
        return System.currentTimeMillis() / 1000.0;
    }

    private static String quoted(String text) {
        return text == null ? "null" : '"' + text.replaceAll("[\\\\\"\\p{Cntrl}]", "?") + '"';
    }

    @Override
    public String toString() {
        return "{\"calls\": " + calls + ", \"noted\": [" + String.join(", ", noted) + "]}";
    }
}
