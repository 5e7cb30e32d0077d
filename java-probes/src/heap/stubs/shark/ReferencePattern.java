package shark;

public abstract class ReferencePattern {
    public static final class InstanceFieldPattern extends ReferencePattern {
        public InstanceFieldPattern(String type, String field) {}
    }
}
