import io.onehop.jedis.OneHopClient;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The same as lifetime.php in a JVM. */
final class Lifetime {
    public static void main(String[] arguments) throws Exception {
        List<OneHopClient> clients = new ArrayList<>();
        for (String path : arguments) {
            clients.add(OneHopClient.builder().config(Path.of(path)).pool("alpha").build());
        }
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (int number = 1; lines.readLine() != null; number++) {
            List<String> where = new ArrayList<>();
            List<String> written = new ArrayList<>();
            for (int file = 0; file < clients.size(); file++) {
                written.add(file + "=" + number);
                clients.get(file).set("written:" + file, written.get(file));
                where.add(clients.get(file).get("where"));
            }
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            System.out.printf(
                    "{\"where\": %s, \"written\": %s, \"memory\": %d, \"descriptors\": %d}%n",
                    quoted(where),
                    quoted(written),
                    runtime.totalMemory() - runtime.freeMemory(),
                    descriptors());
        }
        clients.forEach(OneHopClient::close);
    }

    private static long descriptors() throws Exception {
        try (var names = Files.list(Path.of("/proc/self/fd"))) {
            return names.count();
        }
    }

    private static String quoted(List<String> words) {
        return words.stream()
                .map(word -> '"' + word + '"')
                .collect(Collectors.joining(", ", "[", "]"));
    }
}
