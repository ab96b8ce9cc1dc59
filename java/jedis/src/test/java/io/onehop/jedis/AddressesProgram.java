package io.onehop.jedis;

import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.SilentAddress;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Calls nodes whose names have silent addresses before the one that answers, or one that refuses.
 * Its argument is the hosts file of the JVM.
 */
final class AddressesProgram {

    private AddressesProgram() {}

    public static void main(String[] arguments) throws Exception {
        Logger.getLogger("io.onehop").setLevel(Level.OFF);
        try (RedisServer server = RedisServer.start()) {
            List<SilentAddress> silent = new ArrayList<>();
            for (int i = 2; i <= 4; i++) {
                silent.add(SilentAddress.at("127.0.0." + i, server.port()));
            }
            Files.writeString(
                    Path.of(arguments[0]),
                    """
                    127.0.0.1 one.test
                    127.0.0.2 two.test
                    127.0.0.1 two.test
                    127.0.0.2 four.test
                    127.0.0.3 four.test
                    127.0.0.4 four.test
                    127.0.0.1 four.test
                    127.0.0.5 refused.test
                    127.0.0.1 refused.test
                    """);
            server.ask(plain -> plain.set("k", "value"));
            for (String name : List.of("one", "two", "four")) {
                System.out.println(name + ".test: " + calls(name, server));
            }
            System.out.println("refused.test: " + callsOfRefused(server));
            for (SilentAddress address : silent) {
                address.close();
            }
        }
    }

    /** The value of the first call, and of one over another new connection, which is quick. */
    private static String calls(String name, RedisServer server) {
        try (OneHopClient client = client(name, server)) {
            String first = value(client);
            long bestNs = Long.MAX_VALUE;
            for (int i = 0; i < 10; i++) {
                server.ask(
                        plain ->
                                plain.clientKill(
                                        new ClientKillParams()
                                                .type(ClientType.NORMAL)
                                                .skipMe(ClientKillParams.SkipMe.YES)));
                long beginNs = System.nanoTime();
                client.get("k");
                bestNs = Math.min(bestNs, System.nanoTime() - beginNs);
            }
            return first + (bestNs < 100_000_000 ? ", then quick" : ", then slow");
        }
    }

    /** The value of the first call of a client, and of the first batch of another one. */
    private static String callsOfRefused(RedisServer server) {
        try (OneHopClient ofCalls = client("refused", server);
                OneHopClient ofBatches = client("refused", server)) {
            return value(ofCalls) + ", " + batched(ofBatches);
        }
    }

    private static String batched(OneHopClient client) {
        try (AbstractPipeline batch = client.pipelined()) {
            Response<String> reply = batch.get("k");
            batch.sync();
            return reply.get();
        } catch (RuntimeException failure) {
            return failure.toString();
        }
    }

    private static OneHopClient client(String name, RedisServer server) {
        String config =
                """
                alpha:
                  listen: 127.0.0.1:1
                  redis: true
                  timeout: 5000
                  servers:
                   - %s.test:%d:1
                """
                        .formatted(name, server.port());
        return OneHopClient.builder().configText(config).pool("alpha").build();
    }

    private static String value(OneHopClient client) {
        try {
            return client.get("k");
        } catch (OneHopException failure) {
            return failure.getMessage();
        }
    }
}
