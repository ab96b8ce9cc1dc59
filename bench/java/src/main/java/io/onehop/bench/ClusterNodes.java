/*
 * Measures what the map of a large cluster costs a Java client. Takes CONFIG, a file with a
 * node's reply to CLUSTER SHARDS, a key whose slot does not move, and from stdin keys whose
 * slots have just moved, one a line. Prints JSON when stdin ends. Times are in microseconds.
 *
 * Run by bench/cluster.py as a single-file program: `java -cp JAR ClusterNodes.java CONFIG REPLY
 * KEY`, where JAR is the testee's. bench/php/cluster.php does the same in PHP.
 */

package io.onehop.bench;

import io.onehop.core.cluster.ClusterMap;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.Zone;
import io.onehop.jedis.OneHopClient;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

public final class ClusterNodes {
    private static final byte[] NO_INFO = new byte[0];

    private static long sink; // The compiler cannot remove what is used here.

    public static void main(String[] arguments) throws Exception {
        BufferedReader moved = new BufferedReader(new InputStreamReader(System.in));
        byte[] reply = Files.readAllBytes(Path.of(arguments[1]));
        OneHopClient warm = client(arguments[0]); // Loads the classes before the measurement.
        warm.get(arguments[2]);
        long before = heap();
        OneHopClient client = client(arguments[0]);
        long begun = System.nanoTime();
        client.get(arguments[2]);
        long contact = System.nanoTime() - begun;
        long grown = heap() - before;
        List<Double> moves = new ArrayList<>();
        System.out.println("ready");
        for (String key = moved.readLine(); key != null; key = moved.readLine()) {
            long spent = spent();
            client.get(key);
            moves.add((spent() - spent) / 1e3);
            System.out.println("moved");
        }
        PoolTopology topology = (PoolTopology) client.topology();
        System.out.printf(
                "{\"contact\": %.0f, \"heap\": %d, \"moved\": %.0f, \"read\": %.0f, \"place\":"
                        + " %.1f, \"nodes\": %d}%n",
                contact / 1e3,
                grown >> 10,
                median(moves),
                read(reply, topology),
                place(topology),
                topology.nodes().size());
        System.exit(sink == 0 ? 1 : 0);
    }

    private static OneHopClient client(String config) {
        return OneHopClient.builder().config(Path.of(config)).pool("alpha").build();
    }

    private static long heap() throws InterruptedException {
        for (int i = 0; i < 5; i++) {
            System.gc();
            Thread.sleep(50);
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static long spent() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static double median(List<Double> values) {
        Collections.sort(values);
        return values.isEmpty() ? 0 : values.get(values.size() / 2);
    }

    /**
     * The time to make a topology with its fingerprint from the bytes of a reply, after the JIT
     * compiler has warmed up.
     */
    private static double read(byte[] reply, PoolTopology current) throws Exception {
        List<Double> times = new ArrayList<>();
        for (int round = 0; round < 300; round++) {
            long begun = System.nanoTime();
            ClusterMap map = ClusterMap.read(reply, NO_INFO, "127.0.0.1", Zone.NONE);
            sink += map.topology(current.pool(), current).fingerprint().hashCode();
            times.add((System.nanoTime() - begun) / 1e3);
        }
        return median(times.subList(200, 300));
    }

    private static double place(PoolTopology topology) {
        byte[][] keys = new byte[10_000][];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = ("key:" + i).getBytes(StandardCharsets.UTF_8);
        }
        double best = Double.MAX_VALUE;
        for (int round = 0; round < 500; round++) {
            long begun = System.nanoTime();
            for (byte[] key : keys) {
                sink += topology.locateIndex(key, 0, key.length);
            }
            best = Math.min(best, (double) (System.nanoTime() - begun) / keys.length);
        }
        return best;
    }
}
