package shark;

public abstract class HeapAnalysisFailure extends HeapAnalysis {
    public final native HeapAnalysisException getException();
}
