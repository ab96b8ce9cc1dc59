/*
 * The Java contestants on Jedis: OneHop, one node, nutcracker, nodes over TLS, and Redis Cluster.
 *
 * A worker of the benchmarks; bench/workers.py describes its protocol. A single-file program:
 * `java -cp JAR Worker.java PLAN`, where JAR is the testee's, which contains OneHop and Jedis.
 * Rivals.java adds the contestants that need other libraries, and JobBenchmark.java measures the
 * same jobs with JMH. The measured time begins before the first command and ends with all values as
 * Strings in a list.
 */

package io.onehop.bench;

import io.onehop.jedis.OneHopClient;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.Response;
import redis.clients.jedis.UnifiedJedis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

public final class Worker {

    static final String FIELD = "name";

    /** Connections to each node: the default of OneHop's pool_size. */
    private static final int CONNECTIONS = 16;

    /** What a contestant can do. Values are in the order of the keys. */
    interface Contestant extends AutoCloseable {
        /** Reads the field of each key in one pipeline. A value that cannot be had is null. */
        List<String> hget(List<String> keys);

        void hset(List<String> keys);

        String get(String key);

        void set(String key, String value);

        List<String> mget(List<String> keys);

        void mset(Map<String, String> values);

        long del(List<String> keys);

        @Override
        void close();
    }

    /** Keys and their values in the same order, and the pairs of both. */
    record Batch(List<String> keys, List<String> values, Map<String, String> pairs) {
        static Batch ofHashes(List<String> keys) {
            return of(keys, key -> FIELD + " of " + key);
        }

        static Batch ofStrings(List<String> keys, int bytes) {
            return of(
                    keys,
                    key -> {
                        String unit = "value of " + key + " ";
                        return unit.repeat(bytes / unit.length() + 1).substring(0, bytes);
                    });
        }

        private static Batch of(List<String> keys, Function<String, String> valueOf) {
            Map<String, String> pairs = new LinkedHashMap<>();
            keys.forEach(key -> pairs.put(key, valueOf.apply(key)));
            return new Batch(List.copyOf(keys), List.copyOf(pairs.values()), pairs);
        }
    }

    /** What is measured. JobBenchmark measures the same jobs. */
    enum Job {
        HGET {
            @Override
            Object run(Contestant contestant, Batch batch) {
                return contestant.hget(batch.keys());
            }
        },
        GET {
            @Override
            Object run(Contestant contestant, Batch batch) {
                return each(batch.keys(), contestant::get);
            }
        },
        MGET {
            @Override
            Object run(Contestant contestant, Batch batch) {
                return contestant.mget(batch.keys());
            }
        },
        SET {
            @Override
            Object run(Contestant contestant, Batch batch) {
                batch.pairs().forEach(contestant::set);
                return null;
            }

            @Override
            void check(Contestant contestant, Batch batch, Object nothing) {
                super.check(contestant, batch, contestant.mget(batch.keys()));
            }
        },
        MSET {
            @Override
            Object run(Contestant contestant, Batch batch) {
                contestant.mset(batch.pairs());
                return null;
            }

            @Override
            void check(Contestant contestant, Batch batch, Object nothing) {
                SET.check(contestant, batch, nothing);
            }
        },
        DEL {
            @Override
            void prepare(Contestant contestant, Batch batch) {
                contestant.mset(batch.pairs());
            }

            @Override
            Object run(Contestant contestant, Batch batch) {
                return contestant.del(batch.keys());
            }

            /** Writes them again, for jobs that read. */
            @Override
            void check(Contestant contestant, Batch batch, Object count) {
                Worker.check(count.equals((long) batch.keys().size()), "number of deleted keys");
                prepare(contestant, batch);
            }
        };

        /** Runs before the job, with the clock stopped. */
        void prepare(Contestant contestant, Batch batch) {}

        abstract Object run(Contestant contestant, Batch batch);

        void check(Contestant contestant, Batch batch, Object found) {
            Worker.check(found.equals(batch.values()), "values");
        }

        /** Null if there is no such job. */
        static Job named(String name) {
            for (Job job : values()) {
                if (job.name().equalsIgnoreCase(name)) {
                    return job;
                }
            }
            return null;
        }
    }

    /** Make a contestant from its words in the plan and the timeout in milliseconds. */
    static final Map<String, BiFunction<List<String>, Integer, Contestant>> KINDS =
            new HashMap<>(
                    Map.of(
                            "onehop", (words, timeoutMs) -> new OfJedis(onehop(words)),
                            "pipeline", (words, timeoutMs) -> new OfJedis(one(words, timeoutMs)),
                            "cluster",
                                    (words, timeoutMs) -> new OfJedis(cluster(words, timeoutMs))));

    private final Map<String, List<String>> contestants = new HashMap<>();
    private final List<String> hashes = new ArrayList<>();
    private final Map<String, Integer> owners = new HashMap<>(); // The node of each hash.
    private final List<String> strings = new ArrayList<>();
    private final Map<String, Contestant> open = new HashMap<>();
    private final Map<String, Integer> nextKey = new HashMap<>();
    private int size;
    private final Map<Integer, ExecutorService> crews = new HashMap<>();
    private int timeoutMs = 5000;

    public static void main(String[] arguments) throws IOException {
        Worker worker = new Worker(Files.readAllLines(Path.of(arguments[0])));
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line; (line = requests.readLine()) != null; ) {
            System.out.println(worker.answer(new Request(line.split(" "), worker)));
        }
        // The clients' pools may keep threads. Their servers live longer than this process.
        System.exit(0);
    }

    Worker(List<String> plan) {
        for (String line : plan) {
            List<String> words = List.of(line.split(" "));
            switch (words.get(0)) {
                case "batch" -> size = Integer.parseInt(words.get(1));
                case "timeout" -> timeoutMs = Integer.parseInt(words.get(1));
                case "contestant" -> contestants.put(words.get(1), words.subList(2, words.size()));
                case "key" -> {
                    hashes.add(words.get(1));
                    owners.put(words.get(1), Integer.parseInt(words.get(2)));
                }
                case "string" -> strings.add(words.get(1));
                default -> throw new IllegalArgumentException(line);
            }
        }
    }

    /** A line of stdin; the words after TIMED may be missing. */
    private record Request(
            String name,
            int untimed,
            int timed,
            String operation,
            int threads,
            int count,
            int bytes,
            int of) {
        Request(String[] words, Worker worker) {
            this(
                    words[1],
                    Integer.parseInt(words[2]),
                    Integer.parseInt(words[3]),
                    words.length > 4 ? words[4].split("\\*")[0] : "hget",
                    words.length > 4 && words[4].contains("*")
                            ? Integer.parseInt(words[4].split("\\*")[1])
                            : 0,
                    words.length > 5 ? Integer.parseInt(words[5]) : worker.size,
                    words.length > 6 ? Integer.parseInt(words[6]) : 0,
                    words.length > 7 ? Integer.parseInt(words[7]) : worker.hashes.size());
        }

        boolean isOfHashes() {
            return Set.of("hget", "alive", "hset").contains(operation);
        }
    }

    /* ---- Answers ---- */

    private String answer(Request request) {
        Contestant contestant = open.computeIfAbsent(request.name(), this::connect);
        StringJoiner answer = new StringJoiner(" ");
        for (int i = 0; i < request.untimed() + request.timed(); i++) {
            String sample = sample(contestant, request, batch(request));
            if (sample.equals("no")) {
                return sample;
            }
            if (i >= request.untimed()) {
                answer.add(sample);
            }
        }
        return answer.toString();
    }

    Contestant connect(String name) {
        List<String> words = contestants.get(name);
        if (words.get(0).equals("encrypted")) {
            return new NodeAfterNode(words.subList(1, words.size()), owners, timeoutMs);
        }
        var kind = KINDS.get(words.get(0));
        if (kind == null) {
            throw new IllegalArgumentException("not a Java contestant: " + words.get(0));
        }
        return kind.apply(words.subList(1, words.size()), timeoutMs);
    }

    /** All batches of `count` keys, made of the first `of` keys of the plan. */
    List<Batch> batches(Job job, int count, int bytes, int of) {
        List<String> keys = job == Job.HGET ? hashes : strings;
        List<Batch> batches = new ArrayList<>();
        for (int end = count; end <= Math.min(of, keys.size()); end += count) {
            List<String> next = keys.subList(end - count, end);
            batches.add(job == Job.HGET ? Batch.ofHashes(next) : Batch.ofStrings(next, bytes));
        }
        return batches;
    }

    /** The next keys. A batch begins at a multiple of its size. */
    private Batch batch(Request request) {
        List<String> keys = request.isOfHashes() ? hashes : strings;
        String place = request.name() + (request.isOfHashes() ? " hashes" : " strings");
        int count = request.count();
        int first = -Math.floorDiv(-nextKey.getOrDefault(place, 0), count) * count;
        if (first + count > Math.min(request.of(), keys.size())) {
            first = 0;
        }
        nextKey.put(place, first + count);
        List<String> next = keys.subList(first, first + count);
        return request.isOfHashes() ? Batch.ofHashes(next) : Batch.ofStrings(next, request.bytes());
    }

    /** The nanoseconds of one batch, and how many values were right if some may be missing. */
    private String sample(Contestant contestant, Request request, Batch batch) {
        return switch (request.operation()) {
            case "cold" -> timed(batch, () -> each(batch.keys(), key -> cold(request.name(), key)));
            case "alive" -> alive(contestant, batch);
            case "hset" -> {
                contestant.hset(batch.keys());
                yield timed(contestant, Job.HGET, batch);
            }
            default -> {
                Job job = Job.named(request.operation());
                yield job == null
                        ? "no"
                        : request.threads() > 0
                                ? parallel(contestant, request, job, batch)
                                : timed(contestant, job, batch);
            }
        };
    }

    private static String timed(Contestant contestant, Job job, Batch batch) {
        job.prepare(contestant, batch);
        long start = System.nanoTime();
        Object result = job.run(contestant, batch);
        long taken = System.nanoTime() - start;
        job.check(contestant, batch, result);
        return Long.toString(taken);
    }

    private static String timed(Batch batch, Supplier<List<String>> reading) {
        long start = System.nanoTime();
        List<String> found = reading.get();
        long taken = System.nanoTime() - start;
        check(found.equals(batch.values()), "values");
        return Long.toString(taken);
    }

    /** Each of the request's threads does the job. */
    private String parallel(Contestant contestant, Request request, Job job, Batch batch) {
        ExecutorService crew =
                crews.computeIfAbsent(request.threads(), Executors::newFixedThreadPool);
        Callable<Object> call = () -> job.run(contestant, batch);
        try {
            long start = System.nanoTime();
            var results = crew.invokeAll(Collections.nCopies(request.threads(), call));
            long taken = System.nanoTime() - start;
            for (Future<Object> result : results) {
                job.check(contestant, batch, result.get());
            }
            return Long.toString(taken);
        } catch (InterruptedException | ExecutionException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private static List<String> each(List<String> keys, Function<String, String> read) {
        List<String> values = new ArrayList<>(keys.size());
        for (String key : keys) {
            values.add(read.apply(key));
        }
        return values;
    }

    private String cold(String name, String key) {
        try (Contestant contestant = connect(name)) {
            return contestant.get(key);
        }
    }

    private static String alive(Contestant contestant, Batch batch) {
        long start = System.nanoTime();
        List<String> found = contestant.hget(batch.keys());
        long taken = System.nanoTime() - start;
        int right = 0;
        for (int i = 0; i < found.size(); i++) {
            String value = found.get(i);
            check(value == null || value.equals(batch.values().get(i)), "value that is there");
            right += value == null ? 0 : 1;
        }
        return taken + "/" + right;
    }

    private static void check(boolean isRight, String what) {
        if (!isRight) {
            throw new IllegalStateException("wrong " + what);
        }
    }

    /* ---- Clients with the methods of UnifiedJedis ---- */

    /** The same code for OneHop and for all clients of Jedis. */
    static class OfJedis implements Contestant {
        final UnifiedJedis jedis;

        OfJedis(UnifiedJedis jedis) {
            this.jedis = jedis;
        }

        @Override
        public List<String> hget(List<String> keys) {
            List<Response<String>> responses = new ArrayList<>(keys.size());
            try (AbstractPipeline pipeline = pipeline()) {
                for (String key : keys) {
                    responses.add(pipeline.hget(key, FIELD));
                }
                pipeline.sync();
            } catch (RuntimeException someFailed) {
                // The responses of failed commands throw, too.
            }
            List<String> values = new ArrayList<>(keys.size());
            for (Response<String> response : responses) {
                values.add(valueOf(response));
            }
            for (int i = values.size(); i < keys.size(); i++) {
                values.add(null);
            }
            return values;
        }

        AbstractPipeline pipeline() {
            return jedis.pipelined();
        }

        private static String valueOf(Response<String> response) {
            try {
                return response.get();
            } catch (RuntimeException failed) {
                return null;
            }
        }

        @Override
        public void hset(List<String> keys) {
            keys.forEach(key -> jedis.hset(key, FIELD, FIELD + " of " + key));
        }

        @Override
        public String get(String key) {
            return jedis.get(key);
        }

        @Override
        public void set(String key, String value) {
            jedis.set(key, value);
        }

        @Override
        public List<String> mget(List<String> keys) {
            return jedis.mget(keys.toArray(String[]::new));
        }

        @Override
        public void mset(Map<String, String> values) {
            String[] words = new String[values.size() * 2];
            int at = 0;
            for (Map.Entry<String, String> entry : values.entrySet()) {
                words[at++] = entry.getKey();
                words[at++] = entry.getValue();
            }
            jedis.mset(words);
        }

        @Override
        public long del(List<String> keys) {
            return jedis.del(keys.toArray(String[]::new));
        }

        @Override
        public void close() {
            jedis.close();
        }
    }

    /** Jedis over TLS: one pipeline per node, one node after the other, keys grouped beforehand. */
    private static final class NodeAfterNode extends OfJedis {
        private final Map<String, Integer> owners;
        private final List<OfJedis> nodes = new ArrayList<>();

        NodeAfterNode(List<String> words, Map<String, Integer> owners, int timeoutMs) {
            super(null);
            this.owners = owners;
            JedisClientConfig config =
                    DefaultJedisClientConfig.builder()
                            .from(plain(timeoutMs))
                            .ssl(true)
                            .sslSocketFactory(trusting(Path.of(words.get(0))))
                            .build();
            for (HostAndPort address : addresses(words.subList(1, words.size()))) {
                nodes.add(
                        new OfJedis(
                                RedisClient.builder()
                                        .hostAndPort(address)
                                        .clientConfig(config)
                                        .poolConfig(connections())
                                        .build()));
            }
        }

        private static SSLSocketFactory trusting(Path authority) {
            try (InputStream pem = Files.newInputStream(authority)) {
                KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
                trusted.load(null, null);
                trusted.setCertificateEntry(
                        "ca", CertificateFactory.getInstance("X.509").generateCertificate(pem));
                TrustManagerFactory trust =
                        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
                trust.init(trusted);
                SSLContext context = SSLContext.getInstance("TLS");
                context.init(null, trust.getTrustManagers(), null);
                return context.getSocketFactory();
            } catch (IOException | GeneralSecurityException failed) {
                throw new IllegalStateException(failed);
            }
        }

        @Override
        public List<String> hget(List<String> keys) {
            List<List<String>> groups = new ArrayList<>();
            nodes.forEach(node -> groups.add(new ArrayList<>()));
            keys.forEach(key -> groups.get(owners.get(key)).add(key));
            List<Iterator<String>> found = new ArrayList<>();
            for (int i = 0; i < nodes.size(); i++) {
                found.add(nodes.get(i).hget(groups.get(i)).iterator());
            }
            List<String> values = new ArrayList<>(keys.size());
            keys.forEach(key -> values.add(found.get(owners.get(key)).next()));
            return values;
        }

        @Override
        public void close() {
            nodes.forEach(OfJedis::close);
        }
    }

    static UnifiedJedis onehop(List<String> words) {
        return OneHopClient.builder().config(Path.of(words.get(0))).pool(words.get(1)).build();
    }

    static UnifiedJedis one(List<String> words, int timeoutMs) {
        return RedisClient.builder()
                .hostAndPort(addresses(words).iterator().next())
                .clientConfig(plain(timeoutMs))
                .poolConfig(connections())
                .build();
    }

    static UnifiedJedis cluster(List<String> words, int timeoutMs) {
        return RedisClusterClient.builder()
                .nodes(addresses(words))
                .clientConfig(plain(timeoutMs))
                .poolConfig(connections())
                .build();
    }

    /** Without HELLO and CLIENT SETINFO, which nutcracker does not know. */
    static JedisClientConfig plain(int timeoutMs) {
        return DefaultJedisClientConfig.builder()
                .serverDefaultProtocol()
                .clientSetInfoConfig(ClientSetInfoConfig.DISABLED)
                .timeoutMillis(timeoutMs)
                .build();
    }

    /** As many connections to a node as OneHop has by default. */
    static ConnectionPoolConfig connections() {
        ConnectionPoolConfig config = new ConnectionPoolConfig();
        config.setMaxTotal(CONNECTIONS);
        config.setMaxIdle(CONNECTIONS);
        return config;
    }

    static Set<HostAndPort> addresses(List<String> words) {
        Set<HostAndPort> addresses = new LinkedHashSet<>();
        for (int i = 0; i < words.size(); i += 2) {
            addresses.add(new HostAndPort(words.get(i), Integer.parseInt(words.get(i + 1))));
        }
        return addresses;
    }
}
