/**
 * The client, on Jedis. A program that is a module requires only this one. For metrics it also
 * requires {@code micrometer.core}, for spans {@code micrometer.observation}, and for keep-alive
 * times {@code jdk.net}.
 */
// Jedis and Micrometer have no module-info.
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"})
module io.onehop.jedis {
    requires transitive io.onehop.core;
    requires transitive redis.clients.jedis;
    requires transitive org.apache.commons.pool2;
    requires java.management;

    // Jedis needs these modules and has no module-info to say so. Only libraries without a
    // module-info would be added by Java itself.
    requires com.google.gson;
    requires org.json;

    // The client also works without these modules.
    requires static jdk.net;
    requires static micrometer.commons;
    requires static micrometer.core;
    requires static micrometer.observation;

    // Only the compiler needs its annotations.
    requires static org.jspecify;

    exports io.onehop.jedis;
}
