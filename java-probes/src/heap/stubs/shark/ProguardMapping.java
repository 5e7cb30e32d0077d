package shark;

public abstract class ProguardMapping {}
