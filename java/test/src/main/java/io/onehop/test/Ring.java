package io.onehop.test;

import java.util.List;

/** Servers that know nothing of each other. */
final class Ring extends Fleet {
    private final int count;

    Ring(int count) {
        this.count = count;
    }

    @Override
    void start() {
        for (int i = 0; i < count; i++) {
            add("");
        }
    }

    @Override
    List<String> directives() {
        return List.of();
    }
}
