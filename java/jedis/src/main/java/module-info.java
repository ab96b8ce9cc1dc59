/**
 * The client, on Jedis. A program that is a module requires no other; for metrics it requires {@code micrometer.core},
 * too, and for the times of keep-alive {@code jdk.net}.
 */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // Jedis and Micrometer have no module-info.
module io.onehop.jedis {
    requires transitive io.onehop.core;
    requires transitive redis.clients.jedis;

    // Jedis needs them and has no module-info to say so.
    requires org.apache.commons.pool2;
    requires com.google.gson;

    // The client does without them.
    requires static jdk.net;
    requires static micrometer.core;

    exports io.onehop.jedis;
}
