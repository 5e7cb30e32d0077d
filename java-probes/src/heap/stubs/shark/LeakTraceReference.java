package shark;

public abstract class LeakTraceReference {
    public enum ReferenceType { LOCAL }

    public final native ReferenceType getReferenceType();

    public final native String getOwningClassName();

    public final native String getReferenceName();
}
