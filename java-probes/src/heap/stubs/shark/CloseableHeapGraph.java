package shark;

import java.io.Closeable;

public interface CloseableHeapGraph extends HeapGraph, Closeable {}
