package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.onehop.jedis.lab.Certificates;
import io.onehop.jedis.lab.Jvm;
import io.onehop.jedis.lab.TlsServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Each file that a client follows is refused for a reason that the file does not show, and is read
 * again until it is allowed. Without two capabilities root needs rights, too.
 */
class FilesAllowedLaterTest {
    private static final String CAPABILITIES = "-dac_override,-dac_read_search";

    @Test
    void eachFileThatIsFollowedIsReadAgainUntilItIsAllowed(@TempDir Path folder)
            throws IOException {
        Certificates before = certificates(folder, "old");
        certificates(folder, "new");
        try (TlsServer server = TlsServer.start(before, "node")) {
            String output =
                    Jvm.outputBeneath(
                            List.of(
                                    "setpriv",
                                    "--bounding-set=" + CAPABILITIES,
                                    "--inh-caps=" + CAPABILITIES),
                            "-cp",
                            Jvm.classPath(),
                            FilesAllowedLaterProgram.class.getName(),
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
                    output.replaceAll("(?m)^SLF4J: .*\\n", "")); // Jedis has no logger here.
        }
    }

    private static Certificates certificates(Path folder, String age) throws IOException {
        Certificates made = new Certificates(Files.createDirectory(folder.resolve(age)));
        made.issue("client", Certificates.NAMES, 30);
        return made;
    }
}
