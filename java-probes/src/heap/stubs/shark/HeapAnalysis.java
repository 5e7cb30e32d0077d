package shark;

public abstract class HeapAnalysis {}
