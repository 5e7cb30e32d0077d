package jdk.internal.access;

public class SharedSecrets {
    public static JavaNioAccess getJavaNioAccess() {
        return null;
    }
}
