package shark;

public abstract class ReferenceMatcher {}
