/** Makes the implementation of the asked version. */
final class Versions {
    private Versions() { }

    static <T> T of(Class<T> type, String stem, String version) {
        String name = stem + version.substring(0, 1).toUpperCase() + version.substring(1);
        try {
            return type.cast(Class.forName(name).getDeclaredConstructor().newInstance());
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException("no version " + version, e);
        }
    }
}
