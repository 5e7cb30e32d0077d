package buto.probes.heap;

import java.util.ArrayList;
import java.util.List;
import shark.IgnoredReferenceMatcher;
import shark.ReferenceMatcher;
import shark.ReferencePattern;

/** The references that keep nothing alive. */
final class Weak {
    private static final String REFERENT = "referent";
    private static final String[] TYPES = {
        "java.lang.ref.WeakReference",
        "java.lang.ref.SoftReference",
        "java.lang.ref.PhantomReference",
        "java.lang.ref.FinalReference"
    };

    private Weak() {}

    static List<ReferenceMatcher> matchers() {
        List<ReferenceMatcher> matchers = new ArrayList<>();
        for (String type : TYPES) {
            matchers.add(new IgnoredReferenceMatcher(new ReferencePattern.InstanceFieldPattern(type, REFERENT)));
        }
        return matchers;
    }
}
