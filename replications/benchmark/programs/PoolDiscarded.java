import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPool;

/** Deploys small applications, each with a class loader and a pool that is forgotten and not closed. */
final class PoolDiscarded {
    private static final int APPLICATIONS = 400;

    /** What an application loads. */
    static final class Content {
        static final byte[] HELD = new byte[50_000];
    }

    public static void main(String[] args) throws Exception {
        URL[] classes = {PoolDiscarded.class.getProtectionDomain().getCodeSource().getLocation()};
        List<String> kept = new ArrayList<>();
        for (int i = 0; i < APPLICATIONS; i++) {
            ClassLoader application = new URLClassLoader(classes, ClassLoader.getPlatformClassLoader());
            Class.forName("PoolDiscarded$Content", true, application);
            Thread.currentThread().setContextClassLoader(application);
            GenericObjectPool<Object> pool = new GenericObjectPool<>(new Factory());
            pool.setTimeBetweenEvictionRunsMillis(60_000);
            kept.add(pool.borrowObject().toString());
            Thread.currentThread().setContextClassLoader(PoolDiscarded.class.getClassLoader());
        }
        System.gc();
        Use.print(kept);
    }

    private static final class Factory extends BasePooledObjectFactory<Object> {
        @Override
        public Object create() {
            return "one";
        }

        @Override
        public PooledObject<Object> wrap(Object one) {
            return new DefaultPooledObject<>(one);
        }
    }
}
