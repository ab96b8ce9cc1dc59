package io.onehop.jedis;

import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.pool.Holder;
import io.onehop.jedis.internal.pool.NodeHealth;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.lab.Nodes;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.Response;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Ends in Errors a thousand times, in the middle of its calls, and prints what was left of them. It
 * has a JVM of its own ({@link ErrorsTest}).
 */
final class ErringProgram {
    private static final int TIMES = 1000;
    private static final int FULL_EACH = 20; // Filling the memory takes longer.
    private static final int STACK_BYTES = 512 << 10;
    private static final int LOUD_LEVELS = 40;

    private final OneHopClient redis;
    private final Random chance = new Random(1);
    private int deepest; // Where the stack was full the last time.
    private int depth;

    private ErringProgram(OneHopClient redis) {
        this.redis = redis;
    }

    public static void main(String[] arguments) throws Exception {
        try (OneHopClient first = Nodes.clientOf(Nodes.configOf(Stream.of(arguments[1])))) {
            first.get("key"); // The JDK opens a socket of its own, once.
        }
        long before = sockets();
        OneHopClient redis =
                Nodes.clientOf(
                        Nodes.configOf(Stream.of(arguments[1]), "pool_size: 4", "timeout: 60000"));
        ErringProgram program = new ErringProgram(redis);
        Runnable job = arguments[0].equals("stack") ? program::fillStack : program::fillMemory;
        Thread thread = new Thread(null, job, "erring", STACK_BYTES);
        thread.start();
        thread.join();
        Pool pool = Inspected.pools(redis)[0];
        System.out.println("leased " + pool.getNumActive());
        System.out.println("usable " + usable(pool));
        redis.close();
        for (int i = 0; i < 100 && sockets() > before; i++) {
            Thread.sleep(50);
        }
        System.out.println("sockets " + (sockets() - before));
    }

    /** How many connections may be used at the same time. */
    private static int usable(Pool pool) {
        Holder holder = new Holder();
        int count = 0;
        while (pool.tryLease(holder, Deadline.in(60_000), NodeHealth.NOT_ASKED) != null) {
            count++;
        }
        holder.isOver = true;
        return count;
    }

    private static long sockets() throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.filter(ErringProgram::isSocket).count();
        }
    }

    private static boolean isSocket(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
        } catch (IOException closedMeanwhile) {
            return false;
        }
    }

    private void use() {
        redis.set("key", "value");
        call(0);
        call(1);
        call(2);
        call(3);
    }

    /** One of the kinds of calls. The reply must be the key's. */
    private void call(int way) {
        switch (way) {
            case 0 -> require(redis.get("key"));
            case 1 -> {
                AbstractPipeline batch = redis.pipelined();
                Response<String> value = batch.get("key");
                batch.sync();
                require(value.get());
            }
            case 2 -> {
                AbstractTransaction transaction = redis.multi();
                Response<String> value = transaction.get("key");
                transaction.exec();
                require(value.get());
            }
            default -> {
                try (AbstractTransaction transaction = redis.transaction(false)) {
                    transaction.watch("key");
                    require(transaction.get("key").get());
                    transaction.multi();
                    transaction.get("key");
                    transaction.exec();
                }
            }
        }
    }

    private static void require(String value) {
        if (!value.equals("value")) {
            System.out.println("wrong value " + value);
        }
    }

    /* ---- StackOverflowError ---- */

    private void fillStack() {
        use();
        int errors = 0;
        for (int i = 0; i < TIMES; i++) {
            try {
                depth = 0;
                descend(i % 4, chance.nextInt(LOUD_LEVELS), 0, 0);
            } catch (StackOverflowError full) {
                errors++;
                deepest = depth;
            }
            // No Error may cost the client a connection permanently. It may cost one connection
            // for a while.
            if (i % 4 == 3) {
                call(0);
            }
        }
        System.out.println("errors " + errors);
        System.out.println("next " + redis.get("key"));
    }

    /** Calls at each level, once the end of the stack is near. The size of frames varies. */
    private long descend(int way, int chance, long a, long b) {
        depth++;
        if (depth > deepest - LOUD_LEVELS) {
            call(way);
        }
        return (chance > depth
                        ? descendWider(way, chance, a, b, a, b)
                        : descend(way, chance, a + 1, b))
                + a;
    }

    private long descendWider(int way, int chance, long a, long b, long c, long d) {
        return descend(way, chance, a + c, b + d) + a + b + c + d;
    }

    /* ---- OutOfMemoryError ---- */

    private void fillMemory() {
        use();
        redis.set("large", "x".repeat(300_000));
        int errors = 0;
        for (int i = 0; i < TIMES / FULL_EACH; i++) {
            List<Object> all = new ArrayList<>();
            try {
                while (true) {
                    all.add(redis.get("large").concat("!"));
                    call(i % 4);
                }
            } catch (OutOfMemoryError
                    // The JVM has only one such Error, so it would suppress itself.
                    | IllegalArgumentException full) {
                all = null;
                errors++;
            }
        }
        System.out.println("errors " + errors * FULL_EACH);
        System.out.println("next " + redis.get("key"));
    }
}
