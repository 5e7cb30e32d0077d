package buto.testprograms.consumerproducer;

import java.util.ArrayList;
import java.util.List;

/** Drops each page; with the defect enabled, it keeps one page in so many for ever. */
final class Archive {
    private final List<String> leaked = new ArrayList<>();
    private final int leakEvery;

    /** @param leakEvery 0 for no defect */
    Archive(int leakEvery) {
        this.leakEvery = leakEvery;
    }

    void file(String page, long job) {
        if (leakEvery > 0 && job % leakEvery == 0) {
            synchronized (leaked) {
                leaked.add(page);
            }
        }
    }

    int size() {
        synchronized (leaked) {
            return leaked.size();
        }
    }
}
