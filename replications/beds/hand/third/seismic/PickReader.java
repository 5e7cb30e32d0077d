import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.List;

/** Reads single records of an archive of seismograms. */
interface PickReader {
    Trace read(RandomAccessFile archive, long offset) throws IOException;

    List<String> summary();
}
