package shark;

public interface ObjectInspector {}
