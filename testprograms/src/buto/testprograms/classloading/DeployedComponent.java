package buto.testprograms.classloading;

/** The component as it is deployed. Its static table stands for the caches that real classes hold. */
public final class DeployedComponent implements Component {
    /** Bytes of the table that each deployment brings along. */
    static final int TABLE_SIZE = 64 << 10;

    private static final byte[] TABLE = new byte[TABLE_SIZE];

    private Configuration configuration = new DeployedConfiguration(null);
    private int generation = 1;

    @Override
    public void replace(Component former) {
        generation = former.generation() + 1;
        TABLE[generation % TABLE_SIZE] = (byte) generation;
        // The leak: a chain of settings through all deployments, each link of which is an
        // instance of a class of its own deployment and so keeps that loader and its classes.
        configuration = new DeployedConfiguration(former.configuration());
    }

    @Override
    public Configuration configuration() {
        return configuration;
    }

    @Override
    public int generation() {
        return generation;
    }
}
