package shark;

import java.util.List;

public abstract class HeapAnalysisSuccess extends HeapAnalysis {
    public final native List<ApplicationLeak> getApplicationLeaks();
}
