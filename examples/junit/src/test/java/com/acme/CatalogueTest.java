package com.acme;

import static org.junit.jupiter.api.Assertions.assertEquals;

import buto.junit.ButoTest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CatalogueTest {
    private static final int ENTRIES_PER_PAGE = 200;

    private List<byte[]> entries;

    @BeforeEach
    void openCatalogue() {
        entries = new ArrayList<>();
    }

    /** Runs in JVMs of its own, and what it uses is judged. */
    @ButoTest(jvmArguments = {"-Xmx64m", "-XX:+UseSerialGC"})
    void loadsTenPages() throws InterruptedException {
        for (int page = 0; page < 10; page++) {
            load();
            Thread.sleep(50);
        }
        assertEquals(10 * ENTRIES_PER_PAGE, entries.size());
    }

    /** Runs in the JVM of the tests, like any other test. */
    @Test
    void loadsOnePage() {
        load();
        assertEquals(ENTRIES_PER_PAGE, entries.size());
    }

    private void load() {
        for (int entry = 0; entry < ENTRIES_PER_PAGE; entry++) {
            entries.add(new byte[1024]);
        }
    }
}
