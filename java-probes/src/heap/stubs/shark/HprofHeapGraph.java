package shark;

import java.io.File;
import java.util.Set;

public abstract class HprofHeapGraph {
    public static Companion Companion;

    public abstract static class Companion {
        public static native CloseableHeapGraph openHeapGraph$default(
                Companion companion, File dump, ProguardMapping mapping, Set<?> roots, int defaults, Object nothing);
    }
}
