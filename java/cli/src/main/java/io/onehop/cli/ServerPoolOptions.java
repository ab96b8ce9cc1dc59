package io.onehop.cli;

import io.onehop.core.topology.ServerPool;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.nio.file.Path;

/** Which server pool a command is about. */
final class ServerPoolOptions {
    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            defaultValue = "${env:ONEHOP_CONFIG}",
            description = "The configuration file; without it ONEHOP_CONFIG names it.")
    @Nullable Path config;

    @Option(
            names = {"-p", "--pool"},
            paramLabel = "POOL",
            defaultValue = "${env:ONEHOP_POOL}",
            description = "The server pool, if the file has several.")
    @Nullable String pool;

    ConfigFile file() throws Refusal {
        if (config == null || config.toString().isEmpty()) {
            throw Refusal.ofUsage("which configuration file? Give --config or set ONEHOP_CONFIG");
        }
        return ConfigFile.read(config);
    }

    ServerPool of(ConfigFile file) throws Refusal {
        return file.pool(pool == null || pool.isEmpty() ? null : pool);
    }
}
