package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.onehop.jedis.lab.Certificates;
import io.onehop.jedis.lab.Jvm;
import io.onehop.jedis.lab.Log;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.TlsServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The client may not read the files that it follows. Giving it the right changes neither size nor
 * time of a file, so the client must try each file again until it may read it. The program runs
 * without the two capabilities below, so that even root needs the right to read a file.
 */
class FilesAllowedLaterTest {
    private static final String CAPABILITIES = "-dac_override,-dac_read_search";

    @Test
    void eachFollowedFileIsTriedAgainUntilItMayBeRead(@TempDir Path folder) throws IOException {
        Certificates before = certificates(folder, "old");
        certificates(folder, "new");
        try (TlsServer server = TlsServer.start(before, "node")) {
            String output =
                    Jvm.outputBeneath(
                            List.of(
                                    "setpriv",
                                    "--bounding-set=" + CAPABILITIES,
                                    "--inh-caps=" + CAPABILITIES),
                            FilesAllowedLaterProgram.class,
                            List.of(),
                            folder.toString(),
                            String.valueOf(server.port()),
                            String.valueOf(server.redis().port()));
            assertEquals(
                    """
                    true
                    never refused, or not served meanwhile: []
                    the new ones are in use: true
                    warning: Configuration live-config: Permission denied; \
                    the configuration read before stays in use
                    warning: Password file live-password: Permission denied; \
                    the configuration read before stays in use
                    warning: The TLS options are not valid: tls_ca_cert_file live-ca_cert: \
                    this process may not read it; the files before stay in use
                    warning: The TLS options are not valid: tls_cert_file live-cert: \
                    this process may not read it; the files before stay in use
                    warning: The TLS options are not valid: tls_key_file live-key: \
                    this process may not read it; the files before stay in use
                    """,
                    output);
        }
    }

    private static Certificates certificates(Path folder, String age) throws IOException {
        Certificates made = new Certificates(Files.createDirectory(folder.resolve(age)));
        made.issue("client", Certificates.NAMES, 30);
        return made;
    }

    /**
     * Replaces all files that a client follows by files that nobody may read, and makes each of
     * them readable as soon as the client has logged that it may not read it. Prints whether calls
     * are served, and what was logged. Arguments: the folder with {@code old} and {@code new}
     * certificates, the port for TLS and the plain one.
     */
    static final class FilesAllowedLaterProgram {
        private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(90);
        private static final String FROM_ITS_OWNER = "r--------";
        private static final String FROM_NOBODY = "---------";

        private final Path folder;
        private final String port;
        private final List<String> logged = new ArrayList<>();

        private FilesAllowedLaterProgram(Path folder, String port) {
            this.folder = folder;
            this.port = port;
        }

        public static void main(String[] arguments) throws Exception {
            FilesAllowedLaterProgram program =
                    new FilesAllowedLaterProgram(Path.of(arguments[0]), arguments[1]);
            try (Log log = new Log();
                    Jedis admin = new Jedis("127.0.0.1", Integer.parseInt(arguments[2]), 30_000)) {
                admin.aclSetUser("default", "resetpass", ">old", ">new");
                admin.configSet("tls-auth-clients", "yes");
                program.putAll("old", 30000, FROM_ITS_OWNER);
                try (OneHopClient redis = Nodes.clientOf(program.live("config"))) {
                    program.run(redis, admin, log);
                }
            }
        }

        private void run(OneHopClient redis, Jedis admin, Log log) throws Exception {
            System.out.println(isServed(redis, admin));
            putAll("new", 40000, FROM_NOBODY);
            List<String> left =
                    new ArrayList<>(List.of("config", "password", "cert", "key", "ca_cert"));
            long end = System.nanoTime() + WAIT_NS;
            while (!left.isEmpty() && isServed(redis, admin) && System.nanoTime() < end) {
                logged.addAll(log.taken());
                List<String> refused = left.stream().filter(this::isRefused).toList();
                if (refused.equals(left)) {
                    renewTheServer(admin);
                } else if (refused.equals(List.of("ca_cert"))) {
                    continue; // It becomes readable last, when the server is renewed.
                }
                for (String name : refused) {
                    Files.setPosixFilePermissions(
                            live(name), PosixFilePermissions.fromString(FROM_ITS_OWNER));
                }
                left.removeAll(refused);
            }
            System.out.println("never refused, or not served meanwhile: " + left);
            boolean isNew = false;
            while (!isNew && System.nanoTime() < end + WAIT_NS) {
                isNew = isServed(redis, admin);
            }
            logged.addAll(log.taken());
            System.out.println("the new ones are in use: " + isNew);
            logged.stream()
                    .filter(line -> line.contains("denied") || line.contains("may not"))
                    .map(line -> line.replace(folder + "/", ""))
                    .sorted()
                    .forEach(System.out::println);
        }

        private void renewTheServer(Jedis admin) {
            admin.aclSetUser("default", "resetpass", ">new");
            admin.configSet(
                    "tls-ca-cert-file", made("new/ca.crt"),
                    "tls-cert-file", made("new/node.crt"),
                    "tls-key-file", made("new/node.key"));
        }

        private boolean isRefused(String name) {
            return logged.stream()
                    .anyMatch(
                            line ->
                                    line.contains(live(name).toString())
                                            && line.contains(" before stay"));
        }

        /** Opens a new connection and sets a value. */
        private static boolean isServed(OneHopClient redis, Jedis admin)
                throws InterruptedException {
            admin.clientKill(
                    new ClientKillParams()
                            .type(ClientType.NORMAL)
                            .skipMe(ClientKillParams.SkipMe.YES));
            Thread.sleep(20);
            try {
                return "OK".equals(redis.set("key", "value"));
            } catch (OneHopException failure) {
                return false;
            }
        }

        private String made(String name) {
            return folder.resolve(name).toString();
        }

        private Path live(String name) {
            return folder.resolve("live-" + name);
        }

        private void put(String name, String content, String rights) throws IOException {
            Path beside = Files.writeString(folder.resolve("beside"), content);
            Files.setPosixFilePermissions(beside, PosixFilePermissions.fromString(rights));
            Files.move(beside, live(name), StandardCopyOption.ATOMIC_MOVE);
        }

        private void putAll(String age, int timeout, String rights) throws IOException {
            put("key", Files.readString(folder.resolve(age + "/client.key")), rights);
            put("cert", Files.readString(folder.resolve(age + "/client.crt")), rights);
            put("ca_cert", Files.readString(folder.resolve(age + "/ca.crt")), rights);
            put("password", age, rights);
            String config =
                    """
                    alpha:
                      engine: redis
                      timeout: %d
                      tls: true
                      redis_auth_file: %s
                      tls_ca_cert_file: %s
                      tls_cert_file: %s
                      tls_key_file: %s
                      servers: ['127.0.0.1:%s']
                    """
                            .formatted(
                                    timeout,
                                    live("password"),
                                    live("ca_cert"),
                                    live("cert"),
                                    live("key"),
                                    port);
            put("config", config, rights);
        }
    }
}
