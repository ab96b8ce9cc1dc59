package io.onehop.spring;

import io.onehop.jedis.ConfigInvalid;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.Environment;

/**
 * If an application does not start because of its configuration, says what to write. Without this
 * class, the application would show a stack of bean errors.
 */
final class ConfigInvalidAnalyzer extends AbstractFailureAnalyzer<ConfigInvalid> {
    private final Environment environment;

    ConfigInvalidAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected FailureAnalysis analyze(Throwable root, ConfigInvalid cause) {
        return new FailureAnalysis("OneHop cannot start: " + cause.getMessage(), action(), cause);
    }

    /** What to add to the properties; {@code null} if nothing is missing in them. */
    private @Nullable String action() {
        if (environment.getProperty("onehop.config") == null) {
            return "Set onehop.config to the path of your nutcracker.yml, for example"
                    + " onehop.config=/etc/nutcracker.yml, and onehop.pool to the name of a server"
                    + " pool in it.";
        }
        if (environment.getProperty("onehop.pool") == null) {
            return "Set onehop.pool to the name of a server pool in "
                    + environment.getProperty("onehop.config")
                    + ".";
        }
        return null;
    }
}
