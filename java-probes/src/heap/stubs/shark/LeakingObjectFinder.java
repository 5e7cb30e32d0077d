package shark;

import java.util.Set;

public interface LeakingObjectFinder {
    Set<Long> findLeakingObjectIds(HeapGraph graph);
}
