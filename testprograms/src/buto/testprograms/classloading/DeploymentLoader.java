package buto.testprograms.classloading;

import java.net.URL;
import java.net.URLClassLoader;

/** Loads the classes of one deployment itself, and leaves all others to the application's loader. */
final class DeploymentLoader extends URLClassLoader {
    private static final String DEPLOYED = DeploymentLoader.class.getPackage().getName() + ".Deployed";

    private DeploymentLoader(URL classes, ClassLoader parent) {
        super(new URL[] {classes}, parent);
    }

    /** A new component with classes of its own. */
    static Component deploy() {
        URL classes = DeploymentLoader.class.getProtectionDomain().getCodeSource().getLocation();
        ClassLoader loader = new DeploymentLoader(classes, DeploymentLoader.class.getClassLoader());
        try {
            Class<?> type = loader.loadClass(DeployedComponent.class.getName());
            return (Component) type.getConstructor().newInstance();
        } catch (ReflectiveOperationException damaged) {
            throw new IllegalStateException("cannot deploy from " + classes, damaged);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(DEPLOYED)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : findClass(name);
        }
    }
}
