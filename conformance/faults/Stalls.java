import io.onehop.jedis.OneHopClient;

import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisException;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The Java twin of stalls.php: one client in several threads, as {@code java Stalls.java CLIENT
 * CONFIG PORTS SECONDS THREADS}. Prints a line like that of stalls.php for each thread. Before that
 * the threads make calls for three seconds, until the code is compiled, and print {@code ready}.
 */
final class Stalls {
    private static final int TIMEOUT_MS = 300;

    public static void main(String[] arguments) throws InterruptedException {
        int[] ports = Arrays.stream(arguments[2].split(",")).mapToInt(Integer::parseInt).toArray();
        double seconds = Double.parseDouble(arguments[3]);
        int threads = Integer.parseInt(arguments[4]);
        List<Runnable> calls =
                arguments[0].equals("onehop") ? ofOneHop(arguments[1], ports) : ofJedis(ports);
        inThreads(threads, () -> ask(calls, 3));
        System.out.println("ready");
        System.out.flush();
        inThreads(threads, () -> System.out.println(ask(calls, seconds)));
    }

    private static void inThreads(int count, Runnable job) throws InterruptedException {
        List<Thread> all = IntStream.range(0, count).mapToObj(i -> new Thread(job)).toList();
        all.forEach(Thread::start);
        for (Thread each : all) {
            each.join();
        }
    }

    private static List<Runnable> ofOneHop(String config, int[] ports) {
        OneHopClient redis = OneHopClient.builder().config(Path.of(config)).pool("alpha").build();
        return Arrays.stream(ports)
                .mapToObj(
                        port ->
                                IntStream.range(0, 10_000)
                                        .mapToObj(i -> "key:" + i)
                                        .filter(key -> redis.topology().locate(key).port() == port)
                                        .findFirst()
                                        .orElseThrow())
                .map(key -> (Runnable) () -> redis.get(key))
                .toList();
    }

    private static List<Runnable> ofJedis(int[] ports) {
        return Arrays.stream(ports)
                .mapToObj(
                        port ->
                                RedisClient.builder()
                                        .hostAndPort("127.0.0.1", port)
                                        .clientConfig(
                                                DefaultJedisClientConfig.builder()
                                                        .timeoutMillis(TIMEOUT_MS)
                                                        .build())
                                        .build())
                .map(redis -> (Runnable) () -> redis.get("key"))
                .toList();
    }

    private static String ask(List<Runnable> calls, double seconds) {
        List<String> failed = new ArrayList<>();
        List<Map<Long, Integer>> answered = new ArrayList<>();
        calls.forEach(call -> answered.add(new TreeMap<>()));
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < seconds * 1e9) {
            for (int node = 0; node < calls.size(); node++) {
                long began = System.nanoTime();
                try {
                    calls.get(node).run();
                    answered.get(node).merge(System.nanoTime() / 100_000_000, 1, Integer::sum);
                } catch (JedisException failure) {
                    long now = System.nanoTime();
                    failed.add(
                            "[%d, %d, %d, %s]"
                                    .formatted(
                                            node,
                                            now,
                                            (now - began) / 1_000_000,
                                            failure.getMessage()
                                                    .startsWith("The node is resting")));
                }
                pause();
            }
        }
        return "{\"failed\": "
                + failed
                + ", \"answered\": ["
                + answered.stream().map(Stalls::json).collect(Collectors.joining(", "))
                + "]}";
    }

    private static String json(Map<Long, Integer> counts) {
        return counts.entrySet().stream()
                .map(each -> "\"" + each.getKey() + "\": " + each.getValue())
                .collect(Collectors.joining(", ", "{", "}"));
    }

    private static void pause() {
        try {
            Thread.sleep(1);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
