/*
 * Three clients with three databases of a Redis Cluster that has COUNT of them. databases.php is
 * the same in PHP. If the cluster has only one database, it refuses all others.
 *
 * A single-file program: `java -cp JAR Databases.java CONFIG COUNT`, where JAR is the testee's. It
 * prints what is wrong.
 */

import io.onehop.jedis.ConfigInvalid;
import io.onehop.jedis.OneHopClient;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.resps.ScanResult;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

public final class Databases {
    private static final String LIST = "{key:4}:list";
    private static final String[] KEYS =
            IntStream.range(0, 30).mapToObj(i -> "key:" + i).toArray(String[]::new);

    private Databases() {}

    public static void main(String[] arguments) {
        Path config = Path.of(arguments[0]);
        int count = Integer.parseInt(arguments[1]);
        Map<Integer, OneHopClient> clients = new LinkedHashMap<>();
        for (int database : count > 1 ? List.of(0, 1, count - 1) : List.of(0)) {
            clients.put(database, clientIn(database, config));
        }
        clients.forEach((database, client) -> write(client, "of " + database));
        clients.forEach(Databases::read);
        try (OneHopClient beyond = clientIn(count, config)) {
            expect("a database too many", "refused", beyond.get(KEYS[0]));
        } catch (ConfigInvalid refused) {
            String why =
                    count > 1
                            ? "ERR DB index is out of range"
                            : "ERR SELECT is not allowed in cluster mode";
            String message = String.valueOf(refused.getMessage());
            String begin = "The node refused database " + count + ": " + why;
            expect("why", true, message.startsWith(begin) ? true : message);
        }
        clients.get(count - 1).flushDB();
        clients.forEach(
                (database, client) ->
                        expect(
                                database + " at the end",
                                database == count - 1 ? 0L : 30L,
                                client.dbSize()));
        clients.values().forEach(OneHopClient::close);
    }

    private static OneHopClient clientIn(int database, Path config) {
        return OneHopClient.builder().config(config).pool("alpha").database(database).build();
    }

    private static void write(OneHopClient client, String value) {
        Map<String, String> pairs = new LinkedHashMap<>();
        IntStream.range(0, 20).forEach(i -> pairs.put(KEYS[i], value));
        String[] words =
                pairs.entrySet().stream()
                        .flatMap(pair -> List.of(pair.getKey(), pair.getValue()).stream())
                        .toArray(String[]::new);
        client.mset(words);
        try (AbstractPipeline pipeline = client.pipelined()) {
            IntStream.range(20, 30).forEach(i -> pipeline.set(KEYS[i], value));
            pipeline.sync();
        }
        try (AbstractTransaction transaction = client.transaction(true)) {
            transaction.append(KEYS[3], "");
            transaction.exec();
        }
        client.rpush(LIST, value);
    }

    private static void read(int database, OneHopClient client) {
        String value = "of " + database;
        expect(value + ", a key", value, client.get(KEYS[5]));
        expect(value + ", all", Set.of(value), new HashSet<>(client.mget(KEYS)));
        try (AbstractTransaction transaction = client.transaction(false)) {
            transaction.watch(KEYS[4]);
            transaction.multi();
            transaction.get(KEYS[4]);
            expect(value + ", watched", List.of(value), transaction.exec());
        }
        expect(value + ", awaited", List.of(LIST, value), client.blpop(10, LIST));
        Set<String> found = new HashSet<>();
        String cursor = ScanParams.SCAN_POINTER_START;
        do {
            ScanResult<String> step = client.scan(cursor, new ScanParams().match("key:*"));
            found.addAll(step.getResult());
            cursor = step.getCursor();
        } while (!cursor.equals(ScanParams.SCAN_POINTER_START));
        expect(value + ", scanned", 30, found.size());
        expect(value + ", size", 30L, client.dbSize());
    }

    private static void expect(String what, Object expected, Object seen) {
        if (!expected.equals(seen)) {
            System.out.println(what + ": " + seen + ", not " + expected);
        }
    }
}
