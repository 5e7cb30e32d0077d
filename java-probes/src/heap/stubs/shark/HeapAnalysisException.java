package shark;

public final class HeapAnalysisException extends RuntimeException {}
