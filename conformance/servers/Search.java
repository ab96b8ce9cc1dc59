/*
 * The recipe of docs/modules.md in Java: an index on each of three nodes, and one answer from all
 * of them. search.php is the same in PHP.
 *
 * A single-file program: `java -cp JAR Search.java CONFIG`, where JAR is the testee's. Prints what
 * is wrong.
 */

import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.Unsupported;

import redis.clients.jedis.args.SortingOrder;
import redis.clients.jedis.search.Document;
import redis.clients.jedis.search.FTCreateParams;
import redis.clients.jedis.search.FTSearchParams;
import redis.clients.jedis.search.schemafields.NumericField;
import redis.clients.jedis.search.schemafields.TextField;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

public final class Search {

    static void createIndex(OneHopClient redis) {
        redis.onEachNode(
                commands ->
                        commands.ftCreate(
                                "products",
                                FTCreateParams.createParams().addPrefix("product:"),
                                List.of(
                                        TextField.of("name"),
                                        NumericField.of("price").sortable())));
    }

    /** The cheapest products of all nodes. */
    static List<Document> cheapest(OneHopClient redis, String words, int count) {
        FTSearchParams params =
                FTSearchParams.searchParams().sortBy("price", SortingOrder.ASC).limit(0, count);
        return redis
                .onEachNode(commands -> commands.ftSearch("products", words, params))
                .values()
                .stream()
                .flatMap(found -> found.getDocuments().stream())
                .sorted(
                        Comparator.comparingDouble(
                                one -> Double.parseDouble(one.getString("price"))))
                .limit(count)
                .toList();
    }

    public static void main(String[] arguments) {
        try (OneHopClient redis =
                OneHopClient.builder().pool("alpha").config(Path.of(arguments[0])).build()) {
            createIndex(redis);
            for (int i = 0; i < 100; i++) {
                String name = i % 2 == 1 ? "red shoe" : "blue shoe";
                redis.hset("product:" + i, Map.of("name", name, "price", "" + (100 - i)));
            }
            List<String> expected =
                    IntStream.range(0, 20).mapToObj(i -> "product:" + (99 - 2 * i)).toList();
            List<String> found = cheapest(redis, "red", 20).stream().map(Document::getId).toList();
            if (!found.equals(expected)) {
                System.out.println("found " + found);
            }
            try {
                redis.ftSearch("products", "red");
                System.out.println("FT.SEARCH is not refused");
            } catch (Unsupported refusal) {
                // As it must be.
            }
        }
    }
}
