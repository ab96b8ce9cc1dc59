package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.Topology;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * As modules, the two jars export exactly the classes that docs/architecture.md lists. As OSGi
 * bundles, they export the packages of these classes.
 */
class ExportedTest {
    private static final Path DOCS = Path.of("../../docs/architecture.md");
    private static final Pattern LIST =
            Pattern.compile("<!-- exported -->(.*?)<!-- /exported -->", Pattern.DOTALL);

    @Test
    void exactlyTheListedClassesAreExported()
            throws IOException, URISyntaxException, ClassNotFoundException {
        Set<String> exported = new TreeSet<>(exported(OneHopClient.class));
        exported.addAll(exported(Topology.class));
        assertEquals(listed(), exported);
    }

    /**
     * The classes in the rows of the table, which look like {@code | `io.onehop.core` | `Node`,
     * `Role` |}.
     */
    private static Set<String> listed() throws IOException {
        Matcher list = LIST.matcher(Files.readString(DOCS));
        Set<String> listed = new TreeSet<>();
        while (list.find()) {
            list.group(1)
                    .lines()
                    .map(row -> row.split("\\|"))
                    .filter(cells -> cells.length == 3)
                    .forEach(
                            cells -> {
                                String pack = cells[1].strip().replace("`", "");
                                Pattern.compile("`(\\w+)`")
                                        .matcher(cells[2])
                                        .results()
                                        .forEach(name -> listed.add(pack + "." + name.group(1)));
                            });
        }
        return listed;
    }

    /**
     * The public classes in the packages that a module exports to all modules, without nested
     * classes.
     */
    private static Set<String> exported(Class<?> ofModule)
            throws IOException, URISyntaxException, ClassNotFoundException {
        Path classes =
                Path.of(ofModule.getProtectionDomain().getCodeSource().getLocation().toURI());
        Set<String> exported = new TreeSet<>();
        try (InputStream bytes = Files.newInputStream(classes.resolve("module-info.class"))) {
            for (ModuleDescriptor.Exports exports : ModuleDescriptor.read(bytes).exports()) {
                if (!exports.isQualified()) {
                    exported.addAll(publicClasses(classes, exports.source()));
                }
            }
        }
        return exported;
    }

    private static Set<String> publicClasses(Path classes, String pack)
            throws IOException, ClassNotFoundException {
        Set<String> found = new TreeSet<>();
        try (Stream<Path> files = Files.list(classes.resolve(pack.replace('.', '/')))) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                if (name.endsWith(".class")
                        && !name.contains("$")
                        && !name.equals("package-info.class")) {
                    Class<?> type = Class.forName(pack + "." + name.replace(".class", ""));
                    if (Modifier.isPublic(type.getModifiers())) {
                        found.add(type.getName());
                    }
                }
            }
        }
        return found;
    }

    /* ---- As an OSGi framework sees the two jars ---- */

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
