package io.onehop.jedis.docs;

import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.PartialBatch;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.Response;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.resps.ScanResult;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The methods that docs/recipes.md quotes. {@link RecipesTest} runs them against real servers. */
final class Recipes {
    private Recipes() {}

    static void addToCart(OneHopClient redis, String cart, String product, long price) {
        try (AbstractTransaction both = redis.multi()) {
            both.hincrBy("{cart:" + cart + "}:products", product, 1);
            both.incrBy("{cart:" + cart + "}:sum", price);
            both.exec();
        }
    }

    static List<Optional<String>> productTexts(OneHopClient redis, String... names) {
        List<?> texts;
        try {
            texts = redis.mget(names);
        } catch (PartialBatch failure) {
            System.getLogger("shop").log(System.Logger.Level.WARNING, failure.getMessage());
            texts = failure.getReplies(); // In the order of names, with exceptions among them.
        }
        return texts.stream()
                .map(text -> Optional.ofNullable(text instanceof String known ? known : null))
                .toList();
    }

    static List<Map<String, String>> users(OneHopClient redis, List<String> ids) {
        try (AbstractPipeline batch = redis.pipelined()) {
            List<Response<Map<String, String>>> users =
                    ids.stream().map(id -> batch.hgetAll("user:" + id)).toList();
            batch.sync();
            return users.stream().map(Response::get).toList();
        }
    }

    static Optional<Boolean> countVisit(OneHopClient redis, String page) {
        try {
            redis.incr("visits:" + page);
            return Optional.of(true);
        } catch (OneHopException failure) {
            // false: it is safe to count again.
            return failure.mayHaveExecuted() ? Optional.empty() : Optional.of(false);
        }
    }

    static void eachKey(OneHopClient redis, String pattern, Consumer<String> consumer) {
        ScanParams portions = new ScanParams().match(pattern).count(1000);
        String cursor = ScanParams.SCAN_POINTER_START;
        do {
            ScanResult<String> portion = redis.scan(cursor, portions);
            portion.getResult().forEach(consumer);
            cursor = portion.getCursor();
        } while (!cursor.equals(ScanParams.SCAN_POINTER_START));
    }
}
