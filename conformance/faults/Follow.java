import io.onehop.jedis.OneHopClient;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Path;

/**
 * A client of one file. For each line of its input it prints the value that the key `where` has
 * now.
 */
final class Follow {
    public static void main(String[] arguments) throws Exception {
        Path file = Path.of(arguments[0]);
        try (OneHopClient redis = OneHopClient.builder().config(file).pool("alpha").build();
                BufferedReader lines = new BufferedReader(new InputStreamReader(System.in))) {
            while (lines.readLine() != null) {
                System.out.println(redis.get("where"));
            }
        }
    }
}
