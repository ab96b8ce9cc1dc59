/*
 * One Java client with a thread for each ledger: each makes calls on its keys until the file `stop`
 * exists, or checks them. growing.php is the same in PHP, and says what a ledger is and what is
 * printed.
 *
 * A single-file program: `java -cp JAR Growing.java CONFIG DIRECTORY EPOCH work|check NAME...`,
 * where JAR is the testee's.
 */

import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.PartialBatch;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.Response;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

public final class Growing implements Runnable {
    private static final int BATCH = 20;
    private static final int CHECKED = 500;
    private static final int BRIEF_MS = 3000;
    private static final int BRIEF_DOUBT_MS = 10_000;
    private static final int LASTING_S = 86_400;

    private enum Kind {
        STRING,
        COUNTER,
        HASH,
        LIST,
        SET,
        ZSET,
        STREAM,
        BRIEF
    }

    private enum Action {
        READ,
        WRITE,
        DELETE
    }

    /** What is known of a key: growing.php, Ledger. */
    private record Known(int tried, int acknowledged, int value, int at, int until) {
        boolean isInDoubt() {
            return tried != acknowledged;
        }
    }

    private static final class Ledger {
        final String name;
        final int count;
        private final IntBuffer records;

        Ledger(Path directory, String name) throws IOException {
            this.name = name;
            try (FileChannel file =
                    FileChannel.open(
                            directory.resolve("ledger-" + name),
                            StandardOpenOption.READ,
                            StandardOpenOption.WRITE)) {
                records =
                        file.map(FileChannel.MapMode.READ_WRITE, 0, file.size())
                                .order(ByteOrder.LITTLE_ENDIAN)
                                .asIntBuffer();
            }
            count = records.capacity() / 5;
        }

        Known get(int i) {
            int at = 5 * i;
            return new Known(
                    records.get(at),
                    records.get(at + 1),
                    records.get(at + 2),
                    records.get(at + 3),
                    records.get(at + 4));
        }

        void put(int i, Known known) {
            int[] words = {
                known.tried, known.acknowledged, known.value, known.at, known.until,
            };
            records.put(5 * i, words);
        }
    }

    private record Key(String name, Kind kind, boolean isLasting) {
        Key(String ledger, int i) {
            this(
                    ledger + ":" + i,
                    Kind.values()[i % 8],
                    i / 8 % 2 == 1 && Kind.values()[i % 8] != Kind.BRIEF);
        }

        boolean isBrief() {
            return kind == Kind.BRIEF;
        }

        int next(int tried, int value) {
            return switch (kind) {
                case STRING, HASH, BRIEF -> tried;
                default -> value + 1;
            };
        }

        CommandObject<Object> write(int next) {
            return switch (kind) {
                case STRING ->
                        isLasting
                                ? words(Command.SET, name, next, "EX", LASTING_S)
                                : words(Command.SET, name, next);
                case COUNTER -> words(Command.INCR, name);
                case HASH -> words(Command.HSET, name, "n", next);
                case LIST -> words(Command.LPUSH, name, next);
                case SET -> words(Command.SADD, name, next);
                case ZSET -> words(Command.ZINCRBY, name, 1, "m");
                case STREAM -> words(Command.XADD, name, "*", "n", next);
                case BRIEF -> words(Command.SET, name, next, "PX", BRIEF_MS);
            };
        }

        boolean isWritten(Object reply, int value, int next) {
            return switch (kind) {
                case STRING, BRIEF -> "OK".equals(text(reply));
                case COUNTER, LIST, ZSET -> String.valueOf(next).equals(text(reply));
                case HASH -> Long.valueOf(value == 0 ? 1 : 0).equals(reply);
                case SET -> Long.valueOf(1).equals(reply);
                case STREAM -> reply instanceof byte[];
            };
        }

        CommandObject<Object> read() {
            return switch (kind) {
                case STRING, COUNTER, BRIEF -> words(Command.GET, name);
                case HASH -> words(Command.HGET, name, "n");
                case LIST -> words(Command.LLEN, name);
                case SET -> words(Command.SCARD, name);
                case ZSET -> words(Command.ZSCORE, name, "m");
                case STREAM -> words(Command.XLEN, name);
            };
        }
    }

    private final OneHopClient client;
    private final Path directory;
    private final long epochMs;
    private final boolean checks;
    private final Ledger ledger;
    private final List<Ledger> others = new ArrayList<>();
    private final List<String> older = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private String follows = "";
    private long calls;
    private long unused;

    private Growing(OneHopClient client, String[] arguments, String name) throws IOException {
        this.client = client;
        this.directory = Path.of(arguments[1]);
        this.epochMs = 1000 * Long.parseLong(arguments[2]);
        this.checks = arguments[3].equals("check");
        this.ledger = new Ledger(directory, name);
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                String other = file.getFileName().toString();
                if (other.startsWith("ledger-") && !other.equals("ledger-" + name)) {
                    others.add(new Ledger(directory, other.substring("ledger-".length())));
                }
            }
        }
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        OneHopClient client =
                OneHopClient.builder().config(Path.of(arguments[0])).pool("alpha").build();
        List<Growing> workers = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (String name : Arrays.asList(arguments).subList(4, arguments.length)) {
            workers.add(new Growing(client, arguments, name));
            threads.add(new Thread(workers.get(workers.size() - 1)));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(workers);
        System.exit(0); // The client's pools keep threads.
    }

    @Override
    public void run() {
        try {
            if (checks) {
                check();
            } else {
                work();
            }
        } catch (IOException | RuntimeException broken) {
            failures.add("[0, 0, " + quoted(broken.toString()) + "]");
        }
    }

    private int now() {
        return (int) (System.currentTimeMillis() - epochMs);
    }

    private static int dice(int count) {
        return ThreadLocalRandom.current().nextInt(count);
    }

    private void work() throws IOException {
        for (int round = 0; !Files.exists(directory.resolve("stop")); round++) {
            if (round % 50 == 0) {
                tellFingerprint();
            }
            for (int i = 0; i < 4; i++) {
                step(List.of(dice(ledger.count)));
            }
            Set<Integer> some = new LinkedHashSet<>();
            while (some.size() < BATCH) {
                some.add(dice(ledger.count));
            }
            step(List.copyOf(some));
            several(dice(ledger.count));
            Ledger other = others.get(dice(others.size()));
            foreign(other, dice(other.count));
        }
    }

    /** Tells the program that changes the file, which waits for this. */
    private void tellFingerprint() throws IOException {
        String known = client.topology().fingerprint();
        if (!known.equals(follows)) {
            Files.writeString(directory.resolve("follows-" + ledger.name), known);
            follows = known;
        }
    }

    /** Reads, writes or deletes each of these keys, in one call. */
    private void step(List<Integer> numbers) {
        List<Action> actions = new ArrayList<>();
        List<Known> all = new ArrayList<>();
        List<CommandObject<Object>> commands = new ArrayList<>();
        for (int i : numbers) {
            Key key = new Key(ledger.name, i);
            Known known = ledger.get(i);
            int dice = known.isInDoubt() ? 0 : dice(100);
            Action action = dice < 45 ? Action.READ : dice < 90 ? Action.WRITE : Action.DELETE;
            if (action != Action.READ) {
                known =
                        new Known(
                                known.tried + 1,
                                known.acknowledged,
                                known.value,
                                known.at,
                                known.until);
                ledger.put(i, known);
            }
            actions.add(action);
            all.add(known);
            commands.add(
                    switch (action) {
                        case READ -> key.read();
                        case WRITE -> key.write(key.next(known.tried, known.value));
                        case DELETE -> words(Command.DEL, key.name);
                    });
        }
        int begun = now();
        List<Object> replies = call(commands);
        int ended = now();
        List<CommandObject<Object>> created = new ArrayList<>();
        for (int n = 0; n < replies.size(); n++) {
            if (judge(numbers.get(n), actions.get(n), all.get(n), replies.get(n), begun, ended)) {
                created.add(words(Command.EXPIRE, ledger.name + ":" + numbers.get(n), LASTING_S));
            }
        }
        if (!created.isEmpty()) {
            call(created);
        }
    }

    /** Notes what a reply says. True if the key must be given a time to live. */
    private boolean judge(int i, Action action, Known known, Object reply, int begun, int ended) {
        if (reply instanceof OneHopException) {
            return false;
        }
        Key key = new Key(ledger.name, i);
        int tried = known.tried;
        int value = known.value;
        switch (action) {
            case READ -> {
                int found = number(reply);
                if (known.isInDoubt() || !isExpected(key, known, found, begun, ended)) {
                    ledger.put(i, new Known(tried, tried, found, begun, 0));
                    if (!known.isInDoubt()) {
                        older(key, "is " + found + ", not " + value, known.at, begun, ended);
                    }
                    return key.isLasting && found != 0;
                }
                return false;
            }
            case DELETE -> {
                ledger.put(i, new Known(tried, tried, 0, ended, 0));
                if (!key.isBrief() && number(reply) != (value == 0 ? 0 : 1)) {
                    older(key, "DEL: " + reply + ", was " + value, known.at, begun, ended);
                }
                return false;
            }
            default -> {
                int next = key.next(tried, value);
                if (key.isWritten(reply, value, next)) {
                    int until = key.isBrief() ? begun + BRIEF_MS : 0;
                    ledger.put(i, new Known(tried, tried, next, ended, until));
                    return key.isLasting && value == 0;
                }
                older(key, "write: " + text(reply) + ", not " + next, known.at, begun, ended);
                return false; // The key stays in doubt until it is read.
            }
        }
    }

    private static boolean isExpected(Key key, Known known, int found, int begun, int ended) {
        if (known.until == 0 || ended < known.until) {
            return found == known.value;
        }
        boolean isOver = begun > known.at + BRIEF_MS + BRIEF_DOUBT_MS;
        return found == 0 || !isOver && found == known.value;
    }

    /** MGET of some strings. */
    private void several(int first) {
        List<Integer> numbers =
                IntStream.iterate(first / 8 * 8, i -> i < ledger.count, i -> i + 8)
                        .filter(i -> !ledger.get(i).isInDoubt())
                        .limit(8)
                        .boxed()
                        .toList();
        if (numbers.isEmpty()) {
            return;
        }
        List<Known> all = numbers.stream().map(ledger::get).toList();
        CommandArguments mget = new CommandArguments(Command.MGET);
        numbers.forEach(i -> mget.add(ledger.name + ":" + i));
        int begun = now();
        Object values = call(List.of(new CommandObject<>(mget, BuilderFactory.RAW_OBJECT))).get(0);
        int ended = now();
        for (int n = 0; values instanceof List<?> list && n < numbers.size(); n++) {
            judge(numbers.get(n), Action.READ, all.get(n), list.get(n), begun, ended);
        }
    }

    /** Reads another worker's key. If its worker writes it meanwhile, the reply does not count. */
    private void foreign(Ledger other, int i) {
        Key key = new Key(other.name, i);
        Known known = other.get(i);
        int begun = now();
        Object reply = call(List.of(key.read())).get(0);
        int ended = now();
        if (known.isInDoubt() || !other.get(i).equals(known)) {
            unused++;
        } else if (!(reply instanceof OneHopException)
                && !isExpected(key, known, number(reply), begun, ended)) {
            older(key, "is " + text(reply) + ", not " + known.value, known.at, begun, ended);
        }
    }

    /** A reply or a failure for each command. */
    private List<Object> call(List<CommandObject<Object>> commands) {
        calls++;
        int begun = now();
        try {
            if (commands.size() == 1) {
                return Arrays.asList(client.executeCommand(commands.get(0)));
            }
            try (AbstractPipeline pipeline = client.pipelined()) {
                List<Response<Object>> replies =
                        commands.stream().map(pipeline::executeCommand).toList();
                pipeline.sync();
                return replies.stream().map(Response::get).collect(Collectors.toList());
            }
        } catch (PartialBatch partial) {
            partial.getFailures().values().forEach(failure -> fail(begun, failure));
            return partial.getReplies();
        } catch (OneHopException failure) {
            fail(begun, failure);
            return commands.stream().<Object>map(each -> failure).toList();
        }
    }

    private void fail(int begun, OneHopException failure) {
        failures.add("[" + begun + ", " + now() + ", " + quoted(failure.getMessage()) + "]");
        try {
            Thread.sleep(10);
        } catch (InterruptedException nobodyDoes) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reads all keys, and whether they have a time to live. */
    private void check() {
        for (int from = 0; from < ledger.count; from += CHECKED) {
            int to = Math.min(from + CHECKED, ledger.count);
            List<CommandObject<Object>> commands = new ArrayList<>();
            for (int i = from; i < to; i++) {
                Key key = new Key(ledger.name, i);
                commands.add(key.read());
                commands.add(words(Command.TTL, key.name));
            }
            int begun = now();
            List<Object> replies = call(commands);
            for (int i = from; i < to; i++) {
                check(i, replies.get(2 * (i - from)), replies.get(2 * (i - from) + 1), begun);
            }
        }
    }

    private void check(int i, Object found, Object ttl, int begun) {
        Key key = new Key(ledger.name, i);
        Known known = ledger.get(i);
        if (found instanceof OneHopException
                || ttl instanceof OneHopException
                || known.isInDoubt()) {
            return;
        }
        int ended = now();
        if (!isExpected(key, known, number(found), begun, ended)) {
            String what = "is at the end " + text(found) + ", not " + known.value;
            older(key, what, known.at, begun, ended);
        } else if (known.value != 0 && !key.isBrief() && number(ttl) > 0 != key.isLasting) {
            older(key, "has the time to live " + ttl, known.at, begun, ended);
        }
    }

    private void older(Key key, String what, int at, int begun, int ended) {
        older.add(
                Stream.of(quoted(key.name), quoted(key.name + " " + what), at, begun, ended)
                        .map(String::valueOf)
                        .collect(Collectors.joining(", ", "[", "]")));
    }

    private static CommandObject<Object> words(Command command, Object... words) {
        CommandArguments arguments = new CommandArguments(command);
        Arrays.stream(words).map(String::valueOf).forEach(arguments::add);
        return new CommandObject<>(arguments, BuilderFactory.RAW_OBJECT);
    }

    private static String text(Object reply) {
        return reply instanceof byte[] bytes
                ? new String(bytes, StandardCharsets.ISO_8859_1)
                : String.valueOf(reply);
    }

    private static int number(Object reply) {
        return reply == null ? 0 : Integer.parseInt(text(reply));
    }

    private static String quoted(String text) {
        return text == null ? "null" : '"' + text.replaceAll("[\\\\\"\\p{Cntrl}]", "?") + '"';
    }

    @Override
    public String toString() {
        return String.format(
                "{\"calls\": %d, \"older\": %s, \"unused\": %d, \"failures\": %s}",
                calls, older, unused, failures);
    }
}
