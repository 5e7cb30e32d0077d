/** Chooses the classes of one version by name. */
final class Choice {
    private Choice() { }

    static <T> T of(Class<T> type, String stem, String version) throws ReflectiveOperationException {
        String name = stem + Character.toUpperCase(version.charAt(0)) + version.substring(1);
        return type.cast(Class.forName(name).getDeclaredConstructor().newInstance());
    }
}
