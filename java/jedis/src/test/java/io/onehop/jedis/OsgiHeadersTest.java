package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.Topology;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;

/** What the two jars say to an OSGi framework: what they are, offer and need. */
class OsgiHeadersTest {

    private static Attributes headers(Class<?> one) throws IOException, URISyntaxException {
        URI place = one.getProtectionDomain().getCodeSource().getLocation().toURI();
        if (place.getPath().endsWith(".jar")) {
            try (JarFile jar = new JarFile(place.getPath())) {
                return jar.getManifest().getMainAttributes();
            }
        }
        try (InputStream file =
                Files.newInputStream(Path.of(place).resolve(JarFile.MANIFEST_NAME))) {
            return new Manifest(file).getMainAttributes();
        }
    }

    private static void assertBundle(String name, Attributes headers) {
        assertEquals("2", headers.getValue("Bundle-ManifestVersion"));
        assertEquals(name, headers.getValue("Bundle-SymbolicName"));
        String version = headers.getValue("Bundle-Version");
        assertTrue(version.matches("\\d+\\.\\d+\\.\\d+(\\..+)?"), version);
    }

    @Test
    void theCoreOffersItsPackages() throws Exception {
        Attributes headers = headers(Topology.class);
        assertBundle("io.onehop.core", headers);
        String offered = headers.getValue("Export-Package");
        assertTrue(offered.contains("io.onehop.core;"), offered);
        assertTrue(offered.contains("io.onehop.core.topology;"), offered);
        String needed = headers.getValue("Import-Package");
        assertTrue(needed.contains("org.snakeyaml.engine.v2.api;version="), needed);
    }

    @Test
    void theClientOffersItsPackageAndNeedsJedis() throws Exception {
        Attributes headers = headers(OneHopClient.class);
        assertBundle("io.onehop.jedis", headers);
        String offered = headers.getValue("Export-Package");
        assertTrue(offered.startsWith("io.onehop.jedis;"), offered);
        assertFalse(offered.contains("io.onehop.jedis.internal"), offered);
        String needed = headers.getValue("Import-Package");
        assertTrue(needed.contains("redis.clients.jedis;version=\"[8"), needed);
        assertTrue(needed.contains("io.onehop.core;version="), needed);
        assertTrue(needed.matches(".*io\\.micrometer\\.[^,]*resolution:=optional.*"), needed);
    }
}
