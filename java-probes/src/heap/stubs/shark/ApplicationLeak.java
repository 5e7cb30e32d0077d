package shark;

import java.util.List;

public abstract class ApplicationLeak {
    public abstract List<LeakTrace> getLeakTraces();
}
