package shark;

import java.util.List;

public abstract class LeakTrace {
    public enum GcRootType { JAVA_FRAME }

    public final native GcRootType getGcRootType();

    public final native List<LeakTraceReference> getReferencePath();
}
