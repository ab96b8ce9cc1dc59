package io.onehop.jedis.lab;

import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * For tests that look for a wrong, lost or foreign value. Maven runs a failed test a second time in
 * the same process. A test with this extension then fails again with its first failure.
 */
public final class NoSecondTry
        implements BeforeTestExecutionCallback, TestExecutionExceptionHandler {
    private static final Map<String, Throwable> FAILED = new ConcurrentHashMap<>();

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable thrown)
            throws Throwable {
        FAILED.put(context.getUniqueId(), thrown);
        throw thrown;
    }

    @Override
    public void beforeTestExecution(ExtensionContext context) throws Exception {
        Throwable first = FAILED.get(context.getUniqueId());
        if (first != null) {
            throw new AssertionError("It has failed once, which is enough", first);
        }
    }
}
