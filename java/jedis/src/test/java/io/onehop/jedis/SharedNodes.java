package io.onehop.jedis;

import io.onehop.jedis.lab.Nodes;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * Nodes and a client of them, which all tests of a class use. Before each test the nodes are
 * emptied. After each test no connection may be leased any more. Nodes and client are in a static
 * field of the class. If a test fails, they are not closed, because its second try runs in the same
 * JVM.
 */
final class SharedNodes
        implements BeforeEachCallback, AfterEachCallback, AfterAllCallback, TestWatcher {
    private final Nodes nodes;
    private final OneHopClient client;
    private boolean hasFailed;

    private SharedNodes(int count, String... directives) {
        nodes = Nodes.start(count);
        client = nodes.client(directives);
    }

    static SharedNodes start(int count, String... directives) {
        return new SharedNodes(count, directives);
    }

    Nodes nodes() {
        return nodes;
    }

    OneHopClient client() {
        return client;
    }

    @Override
    public void beforeEach(ExtensionContext test) {
        nodes.flush();
    }

    @Override
    public void afterEach(ExtensionContext test) {
        Inspected.assertNothingLeased(client);
    }

    @Override
    public void testFailed(ExtensionContext test, Throwable cause) {
        hasFailed = true;
    }

    @Override
    public void afterAll(ExtensionContext tests) {
        if (!hasFailed) {
            client.close();
            nodes.close();
        }
    }
}
