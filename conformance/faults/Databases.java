import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.OneHopException;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.Response;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * The Java twin of databases.php: three clients with three databases in several threads. Prints a
 * line like that of databases.php for each thread: {@code java Databases.java CONFIG COMMANDS
 * THREADS}.
 */
final class Databases {
    private static final int DATABASES = 3;

    public static void main(String[] arguments) throws InterruptedException {
        int commands = Integer.parseInt(arguments[1]);
        int threads = Integer.parseInt(arguments[2]);
        List<OneHopClient> clients = new ArrayList<>();
        for (int database = 0; database < DATABASES; database++) {
            clients.add(
                    OneHopClient.builder()
                            .config(Path.of(arguments[0]))
                            .pool("alpha")
                            .database(database)
                            .build());
        }
        List<Thread> callers = new ArrayList<>();
        for (int number = 0; number < threads; number++) {
            callers.add(new Thread(() -> System.out.println(ask(clients, commands / threads + 1))));
        }
        callers.forEach(Thread::start);
        for (Thread caller : callers) {
            caller.join();
        }
        clients.forEach(OneHopClient::close);
    }

    private static String ask(List<OneHopClient> clients, int commands) {
        ThreadLocalRandom chance = ThreadLocalRandom.current();
        List<String> wrong = new ArrayList<>();
        int answered = 0;
        int errors = 0;
        while (answered < commands) {
            int database = chance.nextInt(DATABASES);
            String mark = database + " of ";
            try {
                List<String> values =
                        call(
                                clients.get(database),
                                "k" + chance.nextInt(100),
                                mark + Thread.currentThread().getName(),
                                chance.nextInt(6));
                answered += Math.max(1, values.size());
                for (String value : values) {
                    if (value != null && !value.startsWith(mark)) {
                        wrong.add("\"" + database + " got " + value + "\"");
                    }
                }
            } catch (OneHopException failure) {
                errors++;
                LockSupport.parkNanos(1_000_000);
            }
        }
        return "{\"commands\": "
                + answered
                + ", \"errors\": "
                + errors
                + ", \"selects\": 0, \"wrong\": ["
                + String.join(", ", wrong)
                + "]}";
    }

    private static List<String> call(OneHopClient redis, String key, String value, int way) {
        switch (way) {
            case 0:
                redis.set(key, value);
                return List.of();
            case 1:
                return one(redis.get(key));
            case 2:
                return redis.mget(key, "k1", "k2", "k3", "k4", "k5", "k6");
            case 3:
                try (AbstractPipeline pipeline = redis.pipelined()) {
                    pipeline.set(key, value);
                    pipeline.set("k8", value);
                    Response<String> first = pipeline.get(key);
                    Response<String> second = pipeline.get("k9");
                    pipeline.sync();
                    List<String> values = one(first.get());
                    values.add(second.get());
                    return values;
                }
            case 4:
                try (AbstractTransaction transaction = redis.multi()) {
                    transaction.set(key, value);
                    Response<String> reply = transaction.get(key);
                    transaction.exec();
                    return one(reply.get());
                }
            default:
                Object reply =
                        redis.eval("return redis.call('GET', KEYS[1])", List.of(key), List.of());
                return one((String) reply);
        }
    }

    private static List<String> one(String value) {
        List<String> values = new ArrayList<>();
        values.add(value);
        return values;
    }
}
