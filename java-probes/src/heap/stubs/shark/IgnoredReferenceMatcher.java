package shark;

public final class IgnoredReferenceMatcher extends ReferenceMatcher {
    public IgnoredReferenceMatcher(ReferencePattern pattern) {}
}
