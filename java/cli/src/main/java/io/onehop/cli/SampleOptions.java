package io.onehop.cli;

import picocli.CommandLine.Option;

/** How many keys of the nodes a command looks at, and how fast. */
final class SampleOptions {
    private static final int RATE_MAX = 100_000;

    @Option(
            names = "--sample",
            paramLabel = "N",
            defaultValue = "1000",
            description =
                    "How many keys of each node are sampled; 0 for all. Default: ${DEFAULT-VALUE}.")
    long sample;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Commands a second while sampling. Default: ${DEFAULT-VALUE}.")
    int rate;

    void check() throws Refusal {
        if (sample < 0) {
            throw Refusal.ofUsage("--sample is " + sample + ", but must be at least 0");
        }
        if (rate < 1 || rate > RATE_MAX) {
            throw Refusal.ofUsage("--rate is " + rate + ", but must be from 1 to " + RATE_MAX);
        }
    }

    SampledKeys of(Screen screen, AskedNodes nodes, boolean hasBytes) {
        return new SampledKeys(screen, nodes, sample, hasBytes, new Pace(rate));
    }
}
