package com.acme;

import java.util.ArrayList;
import java.util.List;

/** Loads a catalogue page by page, and keeps it. */
public final class Catalogue {
    private static final int ENTRIES_PER_PAGE = 200;

    private Catalogue() {}

    public static void main(String[] arguments) throws InterruptedException {
        int pages = Integer.parseInt(arguments[0]);
        List<byte[]> entries = new ArrayList<>();
        for (int page = 0; page < pages; page++) {
            for (int entry = 0; entry < ENTRIES_PER_PAGE; entry++) {
                entries.add(new byte[1024]);
            }
            Thread.sleep(50);
        }
        System.out.println(entries.size() + " entries");
    }
}
