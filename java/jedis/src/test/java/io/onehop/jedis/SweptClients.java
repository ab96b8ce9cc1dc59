package io.onehop.jedis;

import io.onehop.jedis.internal.snapshot.Snapshot;
import io.onehop.jedis.lab.Nodes;

import redis.clients.jedis.JedisPubSub;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Many clients of one configuration, whose threads meet an Error each ({@link ErrorSweepTest}).
 *
 * <p>In: a condition, or {@code close}. Out: {@code all}, or which clients do not meet it within 30
 * seconds, while these make calls. Its class loader is not that of the test.
 */
final class SweptClients implements UnaryOperator<String> {
    private static final int POLL_MS = 20;
    private static final int POLLS_MAX = 30_000 / POLL_MS;

    private final List<Swept> all;

    /** A client, and what its subscription has heard. */
    private record Swept(OneHopClient redis, Set<String> heard) {
        /** The next call, which may begin a thread again. */
        String value() {
            try {
                return redis.get("key");
            } catch (RuntimeException | Error failed) {
                return null;
            }
        }
    }

    /** {@code channels}: what each client subscribes to. */
    SweptClients(Path file, int count, List<String> channels) {
        all = IntStream.range(0, count).mapToObj(i -> client(file, channels)).toList();
    }

    private static Swept client(Path file, List<String> channels) {
        OneHopClient redis = Nodes.clientOf(file);
        Swept swept = new Swept(redis, ConcurrentHashMap.newKeySet());
        if (!channels.isEmpty()) {
            Thread thread = new Thread(() -> subscribe(swept, channels), "subscribing");
            thread.setDaemon(true);
            thread.start();
        }
        swept.value();
        return swept;
    }

    private static void subscribe(Swept swept, List<String> channels) {
        JedisPubSub listener =
                new JedisPubSub() {
                    @Override
                    public void onMessage(String from, String message) {
                        swept.heard().add(message);
                    }
                };
        swept.redis().subscribe(listener, channels.toArray(String[]::new));
    }

    @Override
    public String apply(String line) {
        String[] words = line.split(" ");
        return words[0].equals("close") ? closed() : told(condition(words[0], words[1]));
    }

    private static Predicate<Swept> condition(String what, String value) {
        return switch (what) {
            case "timeout" -> it -> value.equals("" + pool(it).pool().timeoutMs());
            case "at" -> it -> value.equals(pool(it).topology().nodes().get(0).address());
            case "heard" -> it -> it.heard().contains(value);
            default -> it -> value.equals(it.value());
        };
    }

    private static Snapshot pool(Swept it) {
        return it.redis().snapshots().newest();
    }

    private String told(Predicate<Swept> condition) {
        List<Swept> stuck = all;
        for (int i = 0; i < POLLS_MAX && !stuck.isEmpty(); i++) {
            stuck = stuck.stream().filter(each -> !condition.test(each)).toList();
            stuck.forEach(Swept::value);
            pause(stuck.isEmpty());
        }
        return stuck.isEmpty() ? "all" : "not " + stuck.stream().map(all::indexOf).toList();
    }

    /** Which threads of these clients are left after all were closed. */
    private String closed() {
        all.forEach(each -> each.redis().close());
        String left = "?";
        for (int i = 0; i < POLLS_MAX && !left.isEmpty(); i++) {
            left =
                    Thread.getAllStackTraces().entrySet().stream()
                            .filter(each -> each.getKey().getName().startsWith("onehop-"))
                            .filter(each -> isOurs(each.getKey()))
                            .map(each -> each.getKey().getName() + " " + List.of(each.getValue()))
                            .collect(Collectors.joining(", "));
            pause(left.isEmpty());
        }
        return left.isEmpty() ? "all" : "not " + left;
    }

    /** Other tests have threads of these names, too. */
    private static boolean isOurs(Thread thread) {
        return thread.getContextClassLoader() == SweptClients.class.getClassLoader();
    }

    private static void pause(boolean isOver) {
        try {
            Thread.sleep(isOver ? 0 : POLL_MS);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }
}
