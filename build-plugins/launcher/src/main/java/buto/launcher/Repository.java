package buto.launcher;

import java.io.File;

/** Where a build has its artifacts from, with its own mirrors, proxies, checksums and offline mode. */
public interface Repository {
    /**
     * Returns the archive of this version's runtime, fetched if need be.
     *
     * @param machine its classifier
     * @throws ButoException if it cannot be had
     */
    File runtime(String machine) throws ButoException;
}
