package buto.testprograms.classloading;

/** Settings that remember where they came from; loaded together with their component. */
final class DeployedConfiguration implements Configuration {
    private final Configuration parent;

    DeployedConfiguration(Configuration parent) {
        this.parent = parent;
    }

    @Override
    public Configuration parent() {
        return parent;
    }
}
