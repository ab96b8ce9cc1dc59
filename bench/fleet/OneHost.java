/*
 * What a Java client pays for its nodes: bench/fleet's job `host` in Java. Takes CONFIG and asks
 * every node. Prints by how many KiB the client's heap has grown after the first call and at the
 * end, the number of connections, and how many descriptors the client has opened.
 *
 * A single-file program: `java -cp JAR OneHost.java CONFIG`, where JAR is the testee's.
 */

import io.onehop.jedis.NodeStatus;
import io.onehop.jedis.OneHopClient;

import java.io.File;
import java.nio.file.Path;

public final class OneHost {
    private static final int CALLS_PER_NODE = 20; // So many random keys leave no node out.

    public static void main(String[] arguments) throws Exception {
        OneHopClient warm = client(arguments[0]); // Loads the classes.
        warm.get("key");
        warm.close();
        long heap = heap();
        int open = descriptors();
        OneHopClient client = client(arguments[0]);
        client.get("key");
        long one = heap() - heap;
        int nodes = client.status().nodes().size();
        for (int i = 0; i < nodes * CALLS_PER_NODE; i++) {
            client.get("key:" + i);
        }
        int connections = client.status().nodes().stream().mapToInt(NodeStatus::idle).sum();
        long all = heap() - heap;
        System.out.printf("%d %d %d %d%n", one >> 10, all >> 10, connections, descriptors() - open);
        client.close();
    }

    private static OneHopClient client(String config) {
        return OneHopClient.builder().config(Path.of(config)).pool("alpha").build();
    }

    private static int descriptors() {
        return new File("/proc/self/fd").list().length;
    }

    private static long heap() throws InterruptedException {
        for (int i = 0; i < 5; i++) {
            System.gc();
            Thread.sleep(50);
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
