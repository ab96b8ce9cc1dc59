import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.OneHopException;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * The Java twin of surplus.php: one client in several threads. Prints a line like that of
 * surplus.php for each thread: {@code java Surplus.java CONFIG CALLS THREADS}.
 */
final class Surplus {
    public static void main(String[] arguments) throws InterruptedException {
        int calls = Integer.parseInt(arguments[1]);
        int threads = Integer.parseInt(arguments[2]);
        Path config = Path.of(arguments[0]);
        try (OneHopClient redis = OneHopClient.builder().config(config).pool("alpha").build()) {
            List<Thread> callers = new ArrayList<>();
            for (int number = 0; number < threads; number++) {
                String name = "caller" + number;
                callers.add(
                        new Thread(
                                () -> System.out.println(ask(redis, name, calls / threads)), name));
            }
            callers.forEach(Thread::start);
            for (Thread caller : callers) {
                caller.join();
            }
        }
    }

    private static String ask(OneHopClient redis, String name, int calls) {
        List<String> wrong = new ArrayList<>();
        int errors = 0;
        for (int answered = 0; answered < calls; ) {
            String key = name + "-" + System.nanoTime();
            long began = System.nanoTime();
            try {
                String value = redis.get(key);
                answered++;
                if (!value.startsWith(key + " ")) {
                    wrong.add("[" + began + ", \"" + value + "\"]");
                }
            } catch (OneHopException failure) {
                errors++;
                pause(1_000);
            }
            if (ThreadLocalRandom.current().nextBoolean()) {
                pause(ThreadLocalRandom.current().nextInt(3_001));
            }
        }
        return "{\"calls\": "
                + calls
                + ", \"errors\": "
                + errors
                + ", \"wrong\": ["
                + String.join(", ", wrong)
                + "]}";
    }

    private static void pause(int micros) {
        LockSupport.parkNanos(micros * 1_000L);
    }
}
