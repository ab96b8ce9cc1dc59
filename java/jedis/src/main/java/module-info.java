/**
 * The client, on Jedis. A program that is a module requires no other; for metrics it requires
 * {@code micrometer.core}, too, and for the times of keep-alive {@code jdk.net}.
 */
// Jedis and Micrometer have no module-info.
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"})
module io.onehop.jedis {
    requires transitive io.onehop.core;
    requires transitive redis.clients.jedis;

    // Jedis needs them and has no module-info to say so. Java itself adds libraries that have none.
    requires com.google.gson;
    requires org.apache.commons.pool2;
    requires org.json;

    // The client does without them.
    requires static jdk.net;
    requires static micrometer.core;

    exports io.onehop.jedis;
}
