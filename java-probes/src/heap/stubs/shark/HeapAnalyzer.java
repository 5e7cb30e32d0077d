package shark;

import java.io.File;
import java.util.List;

public final class HeapAnalyzer {
    public HeapAnalyzer(OnAnalysisProgressListener listener) {}

    public native HeapAnalysis analyze(
            File dump,
            HeapGraph graph,
            LeakingObjectFinder finder,
            List<? extends ReferenceMatcher> matchers,
            boolean computeRetained,
            List<? extends ObjectInspector> inspectors,
            MetadataExtractor extractor);
}
